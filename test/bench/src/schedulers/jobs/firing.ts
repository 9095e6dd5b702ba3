import { setTimeout as wait } from "node:timers/promises";
import type { TaskSeries } from "../contestants/contestant-commands.js";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import type { DatabaseWork } from "../database-work.js";
import { type CpuShares, cpuSince, type Stage } from "../stage.js";
import { judge, type Verdict } from "../verdict.js";
import type { Backlog } from "./backlog.js";

/** The tasks that become due, and the workers that run them. */
export interface FiringPlan {
  readonly nodes: readonly ContestantProcess[];
  readonly backlog: Backlog;
  readonly count: number;
  readonly everyMs: number;
  /** How long after the last due time everything must have ended; the rest counts as unfinished. */
  readonly limitMs: number;
}

/** The result. */
export interface Fired {
  readonly verdict: Verdict;
  /** Still in the store when the limit was reached. */
  readonly unfinished: number;
  /** From the first due time until the last task had ended, or the limit. */
  readonly elapsedMs: number;
  /** From the first due time until nothing was left to do. */
  readonly cpu: CpuShares;
  /** Until the last task had ended, without the time for history. */
  readonly firingCpu: CpuShares;
  /** What was written in the time of `cpu`; null: the contestant has no Postgres. */
  readonly database: DatabaseWork | null;
  /** Starts of each node. */
  readonly startsByNode: readonly number[];
}

/**
 * Between the creation of the last task and the first due time at least: everybody has loaded by then what is due soon.
 */
const SETTLED_MS = 6_000;
/** The time of a creation, if no backlog has measured it. */
const MS_PER_TASK = 0.3;
/** A margin for other programs on the machine. */
const RESERVE = 2;
/** For a look at the log before the first due time. */
const LOOK_MS = 50;
const STARTED_POLL_MS = 25;
const ENDED_POLL_MS = 5;

/**
 * Creates tasks ahead of their due times, has the server write them to its files, waits until all have run and have
 * ended by commit, and judges them.
 * @throws Error if the machine was too slow to create them in time
 */
export async function fire(stage: Stage, plan: FiringPlan): Promise<Fired> {
  const { nodes, backlog, count, everyMs } = plan;
  const creationMs = count * (backlog.msPerTask || MS_PER_TASK) * RESERVE;
  const dueAt = Math.ceil(stage.clock.now() + creationMs) + SETTLED_MS;
  const series: TaskSeries = { first: backlog.count, count, dueAt, everyMs };
  await nodes[0]!.ask("bulk", { series });
  await stage.servers.checkpoint();
  const spareMs = dueAt - stage.clock.now();
  if (spareMs < SETTLED_MS / 2) throw new Error(`created only ${Math.round(spareMs)} ms ahead of the due time`);
  await wait(spareMs - LOOK_MS);
  await stage.log?.begin();
  await wait(dueAt - stage.clock.now());
  const before = stage.cpu();
  await wait(dueAt + count * everyMs - stage.clock.now());
  const unfinished = await untilEnded(stage, plan, dueAt + count * everyMs + plan.limitMs);
  const elapsedMs = stage.clock.now() - dueAt;
  const firingCpu = cpuSince(before, stage.cpu());
  if (unfinished === 0) await stage.whenTidy(nodes[0]!);
  const cpu = cpuSince(before, stage.cpu());
  const database = (await stage.log?.end()) ?? null;
  const runs = await Promise.all(nodes.map((node) => node.ask("runs")));
  const verdict = judge(runs, series, { offsetMs: stage.clock.offsetMs, pending: unfinished });
  const startsByNode = runs.map(({ numbers }) => numbers.length);
  return { verdict, unfinished, elapsedMs, cpu, firingCpu, database, startsByNode };
}

/** Waits until all have started, then until none is left in the store. @returns how many are left at the limit */
async function untilEnded(stage: Stage, { nodes, count, backlog }: FiringPlan, limitAt: number): Promise<number> {
  const started = async (): Promise<number> =>
    (await Promise.all(nodes.map((node) => node.ask("started")))).reduce((sum, each) => sum + each, 0);
  const left = async (): Promise<number> => Math.max(0, (await nodes[0]!.ask("pending")) - backlog.count);
  await stage.lookUntil({ limitAt, everyMs: STARTED_POLL_MS }, started, (seen) => seen >= count);
  return stage.lookUntil({ limitAt, everyMs: ENDED_POLL_MS }, left, (seen) => seen === 0);
}
