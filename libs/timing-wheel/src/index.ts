export type { OrderWithinTick } from "./overdue-heap.js";
export type { TimerHandle } from "./timer-records.js";
export { TimingWheel } from "./timing-wheel.js";
export { WheelFullError } from "./wheel-full-error.js";
export type { TimingWheelOptions } from "./wheel-options.js";
export type { LevelStats, TimingWheelStats } from "./wheel-stats.js";
