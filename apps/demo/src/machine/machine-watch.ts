import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { type MachineSample, stretchOf } from "./slowness.js";

const INTERVAL_MS = 100;
/** About a millisecond of work on a machine of these years. */
const WORK_ROUNDS = 1_000_000;
/** Timers of a quiet machine are so late. */
const TIMER_MS = 2;
/** The stretch tells of the newest samples: some ten seconds. */
const STRETCH_SAMPLES = 100;

/**
 * Measures what this process gets of the machine, ten times a second: how late a timer fires, less the processor time
 * that the process itself used meanwhile, and how much longer a small piece of work takes than the processor time that
 * it costs. Where the system itself counts how long the process waited for a processor (Linux), the longer of the two
 * times holds: it knows of every waiting. It costs about 2 % of a core.
 */
export class MachineWatch {
  readonly samples: MachineSample[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** @param now epoch milliseconds of the clock by which the samples are told */
  constructor(private readonly now: () => number) {}

  start(): void {
    clearTimeout(this.timer);
    this.next();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** How many times longer than on a quiet machine a limit has to be at present. */
  readonly stretch = (): number => stretchOf(this.samples.slice(-STRETCH_SAMPLES));

  private next(): void {
    const fromMonoMs = performance.now();
    const fromCpuMs = cpuMs();
    const fromQueuedMs = queuedMs();
    this.timer = setTimeout(() => {
      const lateMs = performance.now() - fromMonoMs - INTERVAL_MS - TIMER_MS;
      const ownMs = cpuMs() - fromCpuMs;
      const workWaitMs = waitOfWork();
      this.samples.push({
        fromAt: this.now() - (performance.now() - fromMonoMs),
        toAt: this.now(),
        ranMs: cpuMs() - fromCpuMs,
        waitedMs: Math.max(Math.max(0, lateMs - ownMs) + workWaitMs, queuedMs() - fromQueuedMs),
        load: loadavg()[0]!,
        cores: availableParallelism(),
      });
      this.next();
    }, INTERVAL_MS);
  }
}

/** By how much a small piece of work takes longer than the processor time that it costs. */
function waitOfWork(): number {
  const fromMonoMs = performance.now();
  const fromCpuMs = cpuMs();
  let sum = 0;
  for (let round = 0; round < WORK_ROUNDS; round++) sum = (Math.imul(sum, 31) + round) | 0;
  const waitedMs = performance.now() - fromMonoMs - (cpuMs() - fromCpuMs);
  return sum === 0.5 ? 0 : Math.max(0, waitedMs);
}

/**
 * How long this process's main thread has waited for a processor since its start, by the system's count; 0 where it
 * does not count.
 */
function queuedMs(): number {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
