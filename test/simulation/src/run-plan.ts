import { DEFAULT_OPTIONS } from "@tickwheel/core";
import {
  type HistoryEvent,
  judgeHistory,
  type Lateness,
  type NodeAtRest,
  type RuleName,
  type Violation,
} from "@tickwheel/simulation";
import { comesToRest } from "./at-rest.js";
import { Consumer } from "./consumer.js";
import { plant } from "./faults.js";
import type { Plan } from "./plan.js";
import type { Recorder } from "./recorder.js";
import { Callers } from "./requests.js";
import { World } from "./world.js";

/** The result of a run. */
export interface RunResult {
  plan: Plan;
  violations: readonly Violation[];
  lateness: readonly Lateness[];
  /** Faults that no rule of a history covers. */
  surprises: readonly string[];
  /** Equal for two runs that did the same. */
  hash: string;
  coverage: ReadonlyMap<string, number>;
  events: readonly HistoryEvent[];
  told: Recorder["told"];
  /** How long the run lasted by the virtual time. */
  virtualMs: number;
}

export type BrokenRule = RuleName | "no-surprise";

/** The time by which a cluster must have come to rest. */
const REST_LIMIT_MS = 150_000;

/** Runs a plan to its end and judges its history. */
export async function runPlan(plan: Plan): Promise<RunResult> {
  const world = new World(plan);
  const surprise = (error: unknown): void => world.recorder.surprise("nobody has caught", error);
  process.on("unhandledRejection", surprise);
  try {
    await play(world);
  } finally {
    process.off("unhandledRejection", surprise);
  }
  const { recorder, time, trace } = world;
  const options = {
    ...plan.options,
    coordination: plan.coordination,
    transactionalTypeIds: transactionalTypes(world),
  };
  return {
    plan,
    ...judgeHistory({ events: recorder.events, options }),
    surprises: recorder.surprises,
    hash: trace.digest(),
    coverage: recorder.coverage,
    events: recorder.events,
    told: recorder.told,
    virtualMs: time.monotonicMs(),
  };
}

/** The rules that a run broke. */
export function brokenRules({ violations, surprises }: RunResult): BrokenRule[] {
  const rules = new Set<BrokenRule>(violations.map(({ rule }) => rule));
  if (surprises.length > 0) rules.add("no-surprise");
  return [...rules];
}

async function play(world: World): Promise<void> {
  const { plan, time } = world;
  const callers = new Callers(world);
  const consumers = (plan.consumers ?? []).map((consumer) => new Consumer(world, consumer));
  // What waits for a trial is late.
  if (plan.breakers) world.recorder.overloadBegan();
  for (let place = 0; place < plan.nodes; place++) time.setTimer(place * 150, () => world.start(place));
  for (const request of plan.requests) callers.plant(request);
  for (const consumer of consumers) consumer.start();
  for (const fault of plan.faults) plant(world, fault);
  await time.advance(Math.max(plan.quietAtMs, ...plan.faults.map(({ atMs, forMs }) => atMs + forMs)));
  const isAtRest = await comesToRest(world, REST_LIMIT_MS);
  if (!isAtRest) world.recorder.surprise("the cluster", `has not come to rest within ${REST_LIMIT_MS} ms`);
  rest(world, { isEnd: false });
  for (const consumer of consumers) consumer.stop();
  await stop(world);
  await time.advance(3_000);
  rest(world, { isEnd: true });
}

async function stop({ processes, time }: World): Promise<void> {
  for (const process of processes.filter(({ isOver }) => !isOver)) {
    let isStopped = false;
    time.setTimer(0, () => process.clock.deliver(() => void process.stop().finally(() => (isStopped = true))));
    await time.runUntil(() => isStopped, DEFAULT_OPTIONS.drainTimeoutMs + 10_000);
  }
}

function rest({ database, processes, recorder }: World, { isEnd }: { isEnd: boolean }): void {
  const rows = [...database.tables.tasks.values()].flatMap(({ committed }) => (committed ? [committed] : []));
  const nodes = processes
    .filter(({ clock }) => !clock.isHalted)
    .map(({ node, clock, isOver, label }): NodeAtRest => {
      const { bootId, typeIds, entries, claimsInDoubt, degraded } = node.holdings();
      return {
        bootId: bootId ?? label,
        isStopped: isOver,
        typeIds,
        entries,
        claimsInDoubt,
        degraded,
        timers: isOver ? clock.pendingTimers : 0,
      };
    });
  recorder.record({ kind: "rest", isEnd, rows, nodes });
}

function transactionalTypes({ database }: World): number[] {
  const types = [...database.tables.types.values()].flatMap(({ committed }) => (committed ? [committed] : []));
  return types.filter(({ type }) => type === "effect").map(({ id }) => id);
}
