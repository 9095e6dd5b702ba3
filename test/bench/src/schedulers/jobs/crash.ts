import { setTimeout as wait } from "node:timers/promises";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import { schedulerNames } from "../contestants/contestants.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuSince, type Stage } from "../stage.js";
import { judge } from "../verdict.js";

const FULL = { count: 1_000, limitMs: 120_000 };
const QUICK = { count: 50, limitMs: 30_000 };

/** How long after its due time every task must be running. */
const START_LIMIT_MS = 60_000;
/** How far ahead tasks are created, and how long the second worker is there before the first is killed. */
const AHEAD_MS = 4_000;
const POLL_MS = 20;

export const crash: Job = {
  name: "crash",
  summary: "how soon the tasks of a killed worker run again",
  explains: `1,000 tasks run at once on one worker (its concurrency is 1,000); a second worker is there when the first is killed by SIGKILL.
  latenessMs is how long after the kill a task runs again.
  unfinished              tasks that do not within 2 minutes
cpuSeconds is from the kill until all have run again. perSecond is not told.
The others run with what they document for finding dead workers, at its tightest, and with their defaults; ours with its defaults.`,
  peers: schedulerNames,
  settings: ["detection", "defaults"],
  defaults: {},
  quick: {},
  async measure(stage, { isQuick }) {
    const { count, limitMs } = isQuick ? QUICK : FULL;
    const first = await stage.enter({ concurrency: count, handler: "hangs" });
    await runAll(stage, first, count);
    const second = await stage.enter({ concurrency: count });
    await wait(AHEAD_MS);
    const killedAt = stage.clock.now();
    await first.kill();
    const before = stage.cpu();
    const again = await untilStarted(stage, second, { count, limitMs });
    const runs = await second.ask("runs");
    const pending = again < count ? await second.ask("pending") : 0;
    const series = { first: 0, count, dueAt: Math.floor(killedAt), everyMs: 0 };
    const { lost, duplicates, latenessMs, started } = judge([runs], series, {
      offsetMs: stage.clock.offsetMs,
      pending,
    });
    return sampleOf({
      lost,
      duplicates,
      latenessMs,
      cpuSeconds: cpuSince(before, stage.cpu()).all,
      figures: { tasks: count, unfinished: count - started },
    });
  },
};

/** Lets a worker run this many tasks at once. */
async function runAll(stage: Stage, worker: ContestantProcess, count: number): Promise<void> {
  const dueAt = Math.ceil(stage.clock.now()) + AHEAD_MS;
  await worker.ask("bulk", { series: { first: 0, count, dueAt, everyMs: 0 } });
  const running = await untilStarted(stage, worker, { count, limitMs: AHEAD_MS + START_LIMIT_MS });
  if (running < count) throw new Error(`only ${running} of ${count} tasks ran at once`);
}

/** @returns how many have started, at the limit at the latest */
function untilStarted(
  stage: Stage,
  worker: ContestantProcess,
  { count, limitMs }: { count: number; limitMs: number },
): Promise<number> {
  const limit = { limitAt: stage.clock.now() + limitMs, everyMs: POLL_MS };
  const started = (): Promise<number> => worker.ask("started");
  return stage.lookUntil(limit, started, (seen) => seen >= count);
}
