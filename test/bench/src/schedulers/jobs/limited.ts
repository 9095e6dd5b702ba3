import { setTimeout as wait } from "node:timers/promises";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import { monoMs } from "../contestants/host-clock.js";
import type { Job } from "../job.js";
import { allowedPerSecond, cellName, judgeLimit, type LimitCell } from "../limit-verdict.js";
import { sampleOf } from "../sample.js";
import { cpuSince, type Stage } from "../stage.js";
import { judge, type Verdict } from "../verdict.js";

const WORKERS = 3;
const CELLS: readonly LimitCell[] = [
  { limit: { maxRunning: 5 }, handlerMs: 10 },
  { limit: { maxRunning: 5 }, handlerMs: 50 },
  { limit: { maxRunning: 5 }, handlerMs: 200 },
  { limit: { maxRunning: 50 }, handlerMs: 50 },
  { limit: { maxRunning: 50 }, handlerMs: 200 },
  { limit: { perSecond: 100 }, handlerMs: 0 },
];
const QUICK_CELLS = CELLS.slice(0, 1);

/** Tasks are created so long before all of them are due: by then every worker has loaded what is its own. */
const AHEAD_MS = 4_000;
/** From the due time on: everybody is in swing then, and a rate's burst is spent. */
const WARM_UP_MS = 2_000;
/** More due tasks than the limit allows to start, so that there are always some. */
const RESERVE = 1.25;
const DRAIN_LIMIT_MS = 60_000;
const DRAIN_POLL_MS = 50;

export const limited: Job = {
  name: "limited",
  summary: "what a limit of the whole cluster reaches",
  explains: `what is reached of what a limit of all workers together allows, while more tasks are due than may start. Three workers, each a process
  of its own. A cell is a limit and how long a handler takes: 5 and 50 at once, with handlers that wait 10, 50 or 200 ms; and 100 starts
  a second, with handlers that do nothing. Its tasks are created 4 s before they are due, all at one instant; 2 s after that it is measured,
  for --seconds.
  perSecond               starts
  reachedPercent          of what the limit allows if no place is ever free
  mostAtOnce              handlers that ran at one moment, by their own count; more than the limit fails the job
  mostInASecond           starts within a second; more than 2.5 times a rate fail the job
  largestShare, smallest… of the starts, by worker
  cores                   CPU of all processes
  claimsPerSecond         of ours, under a limit of what runs at once: those that found a place
Ours is maxRunning and rate of a type, BullMQ's setGlobalConcurrency and setGlobalRateLimit. The others have none and are not measured:
pg-boss limits groups of jobs, at times exceeded as its documents say; graphile-worker runs the jobs of a named queue one by one; neither
limits a rate.`,
  peers: ["tickwheel", "bullmq"],
  settings: ["best"],
  defaults: { seconds: 8 },
  quick: { seconds: 2 },
  async measure(stage, { seconds, isQuick }) {
    const workers: ContestantProcess[] = [];
    for (let i = 0; i < WORKERS; i++) workers.push(await stage.enter({ handler: "waits" }));
    const before = stage.cpu();
    const cells: Record<string, Record<string, number>> = {};
    const verdicts: Verdict[] = [];
    for (const cell of isQuick ? QUICK_CELLS : CELLS) {
      const first = verdicts.reduce((sum, { started, lost }) => sum + started + lost, 0);
      const { figures, verdict } = await measureCell(stage, workers, { cell, seconds, first });
      cells[cellName(cell)] = figures;
      verdicts.push(verdict);
    }
    const sum = (name: "lost" | "early" | "duplicates"): number =>
      verdicts.reduce((total, verdict) => total + verdict[name], 0);
    return sampleOf({
      cpuSeconds: cpuSince(before, stage.cpu()).all,
      lost: sum("lost"),
      early: sum("early"),
      duplicates: sum("duplicates"),
      cells,
    });
  },
};

interface CellPlan {
  readonly cell: LimitCell;
  readonly seconds: number;
  /** The number of its first task. */
  readonly first: number;
}

/** One cell: limits, creates tasks, measures once they are due, lifts the limit, and waits until nothing is left. */
async function measureCell(stage: Stage, workers: readonly ContestantProcess[], { cell, seconds, first }: CellPlan) {
  const [one] = workers as [ContestantProcess];
  const count = Math.ceil(allowedPerSecond(cell) * (WARM_UP_MS / 1_000 + seconds) * RESERVE);
  await handlersTake(workers, cell.handlerMs);
  await one.ask("limit", { limit: cell.limit });
  const series = { first, count, dueAt: Math.ceil(stage.clock.now()) + AHEAD_MS, everyMs: 0 };
  await one.ask("bulk", { series });
  await wait(series.dueAt + WARM_UP_MS - stage.clock.now());
  const claims = await stage.servers.rowUpdates("flow_limit");
  const cpu = stage.cpu();
  const fromMonoMs = monoMs();
  await wait(seconds * 1_000);
  const toMonoMs = monoMs();
  const measuredS = (toMonoMs - fromMonoMs) / 1_000;
  const cores = cpuSince(cpu, stage.cpu()).all / measuredS;
  const claimsPerSecond = ((await stage.servers.rowUpdates("flow_limit")) - claims) / measuredS;
  const left = await one.ask("pending");
  const pending = await drain(stage, workers);
  const runs = await Promise.all(workers.map((worker) => worker.ask("takeHandlerRuns")));
  if (left === 0) throw new Error(`${cellName(cell)}: too few tasks were due`);
  const figures = {
    ...judgeLimit(runs, cell, { fromMonoMs, toMonoMs }),
    cores,
    ...(claimsPerSecond > 0 && { claimsPerSecond }),
  };
  const starts = runs.map((run) => run.starts);
  return { figures, verdict: judge(starts, series, { offsetMs: stage.clock.offsetMs, pending }) };
}

/** Lifts the limit and lets handlers end at once. @returns how many tasks are left at the limit of the wait */
async function drain(stage: Stage, workers: readonly ContestantProcess[]): Promise<number> {
  const [one] = workers as [ContestantProcess];
  await handlersTake(workers, 0);
  await one.ask("limit", { limit: null });
  const wanted = { limitAt: stage.clock.now() + DRAIN_LIMIT_MS, everyMs: DRAIN_POLL_MS };
  return stage.lookUntil(
    wanted,
    () => one.ask("pending"),
    (left) => left === 0,
  );
}

async function handlersTake(workers: readonly ContestantProcess[], ms: number): Promise<void> {
  await Promise.all(workers.map((worker) => worker.ask("handlersTake", { ms })));
}
