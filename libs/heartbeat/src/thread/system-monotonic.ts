/** The machine's monotonic clock, in milliseconds: unlike `performance.now()` the same in every thread of a process. */
export function monotonicNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
