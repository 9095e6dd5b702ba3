// The filter of tasks alone, for programs that are bundled: it needs nothing of Node, and nothing else of this library.
export { type Suggesting, withoutSuggestion } from "./errors/did-you-mean.js";
export * from "./filter/filter-fields.js";
export * from "./filter/format-line.js";
export { isBare, quoted, termsOf, type LinePlace } from "./filter/line-terms.js";
export { checkLine, type LineFault, nameIn, parseLine } from "./filter/parse-line.js";
export { type FilterState, listOf, type TaskFilterInput, type TimePoint } from "./filter/task-filter.js";
export { type FilterMoment, instantOf, isDuration, UTC_CLOCK, type WallClock } from "./filter/time-points.js";
export { parseDurationMs } from "./options/duration.js";
