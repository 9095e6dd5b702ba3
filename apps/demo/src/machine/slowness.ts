/** What the demo's own process got of the machine between two instants of the database's clock, in milliseconds. */
export interface MachineSample {
  fromAt: number;
  toAt: number;
  /** The processor time that the process used. */
  ranMs: number;
  /** How long it wanted a processor and had none. */
  waitedMs: number;
  /** Programs that run or want to, as the system counts them. */
  load: number;
  cores: number;
}

/**
 * Too slow is a machine on which the process waits for a processor for more than this share of a time, and more than
 * three times as long as it runs: the demo's own nodes may use all cores for a while, and keep it waiting, too.
 */
const WAITED_SHARE_LIMIT = 0.1;
const WAITED_PER_RUN_LIMIT = 3;
const LONGEST_STRETCH = 10;

/**
 * Why the times between two instants say nothing about Tickwheel: the demo's own process, which has little to do, got
 * less than a quarter of the processor time that it wanted, and waited for more than a tenth of the whole. Null where
 * it did not, and where nothing was measured.
 */
export function whyTooSlow(
  samples: readonly MachineSample[],
  { fromAt, toAt }: { fromAt: number; toAt: number },
): string | null {
  const within = samples.filter((sample) => sample.toAt > fromAt && sample.fromAt < toAt);
  const waitedMs = sumOf(within, ({ waitedMs: ms }) => ms);
  const lengthMs = sumOf(within, (sample) => sample.toAt - sample.fromAt);
  const ranMs = sumOf(within, (sample) => sample.ranMs);
  if (waitedMs <= Math.max(lengthMs * WAITED_SHARE_LIMIT, ranMs * WAITED_PER_RUN_LIMIT)) return null;
  const busiest = within.reduce((one, other) => (other.load > one.load ? other : one));
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  return (
    `the machine was busy: in ${seconds(lengthMs)} s this process waited ${seconds(waitedMs)} s for a processor, ` +
    `load ${busiest.load.toFixed(1)} on ${busiest.cores} cores`
  );
}

/**
 * How many times longer the process's own work took than on a machine of its own: from 1 to 10, to stretch limits by.
 */
export function stretchOf(samples: readonly MachineSample[]): number {
  const ranMs = sumOf(samples, ({ ranMs: ms }) => ms);
  if (ranMs === 0) return 1;
  return Math.min(LONGEST_STRETCH, 1 + sumOf(samples, ({ waitedMs }) => waitedMs) / ranMs);
}

function sumOf(samples: readonly MachineSample[], value: (sample: MachineSample) => number): number {
  return samples.reduce((sum, sample) => sum + value(sample), 0);
}
