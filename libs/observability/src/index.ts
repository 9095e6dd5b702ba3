export { endWithOutput, outliveOutput } from "./output/lost-output.js";
export { openTracing } from "./traces/open-tracing.js";
export type { TracingOptions } from "./traces/tracing-options.js";
