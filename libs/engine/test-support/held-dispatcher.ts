import { Health, RunningHandlers } from "@tickwheel/coordination";
import { type ClaimedTask, DEFAULT_OPTIONS, SystemContext } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry, SeededRandom } from "@tickwheel/testing";
import { type Breakers, NO_BREAKERS } from "../src/breakers/type-breakers.js";
import { Capacity } from "../src/held/capacity.js";
import { Dispatcher } from "../src/running/dispatcher.js";
import type { EngineContext } from "../src/runtime/engine-context.js";
import { type ExecutionEntry, Executions } from "../src/held/executions.js";
import { TasksForOthers } from "../src/held/tasks-for-others.js";
import type { Outcome } from "../src/ending/outcome.js";
import type { Settler } from "../src/ending/settler.js";
import { Tallies } from "../src/counting/tallies.js";
import { UNLIMITED } from "../src/types/limits-in-force.js";
import type { TypeDirectory } from "../src/types/type-directory.js";
import { servedTypes } from "./served-types.js";

/** What a dispatcher of a spec meets. */
export interface Situation {
  mayStart: boolean;
  /** Whether a verification of a start gets an answer. */
  answers?: boolean;
  /** How far the node's clock is ahead of the store's, until the store's is read again. */
  jumpedMs?: number;
  /** The store's answer for tasks that have crashed; away: none. */
  suspects?: string[];
  occupiedForMs?: number;
  isAway?: boolean;
  breakers?: Breakers;
  /** How many handlers may run at once. */
  places?: number;
  /** The executor's answer instead of a result. */
  oddResult?: unknown;
  /** Types that are paused. Default: none. */
  paused?: Set<number>;
  /** Types that have a rate in the cluster. Default: none. */
  rated?: Set<number>;
  /** Whether an earlier execution's transaction blocked one that has timed out. */
  isBlocked?: boolean;
}

export const SUCCEEDED = { kind: "succeeded", result: null };
/** Types that this node does not run; one of them it does not even know. */
export const UNRUN_TYPE = 8;
export const UNKNOWN_TYPE = 9;

/** What happened, in order. */
interface Noted {
  telemetry: RecordingTelemetry;
  starts: string[];
  writes: string[];
  verified: string[];
  quarantined: string[];
  deferrals: number[];
  /** Why tasks were given back or put off. */
  reasons: string[];
}

/** A dispatcher whose handlers record their calls and return on demand. */
export function dispatcherOf(right: Situation) {
  const clock = new ManualClock();
  const lists = { starts: [], writes: [], verified: [], quarantined: [], deferrals: [], reasons: [] };
  const noted: Noted = { telemetry: new RecordingTelemetry(), ...lists };
  const health = new Health(clock, noted.telemetry);
  const returns = new Map<string, () => void>();
  const run = ({ task }: { task: ClaimedTask }): Promise<unknown> => {
    noted.starts.push(task.id);
    return new Promise((resolve) => returns.set(task.id, () => resolve(right.oddResult ?? SUCCEEDED)));
  };
  const capacity = new Capacity(right.places ?? 10, servedTypes(), clock);
  const dispatcher = new Dispatcher(contextOf(right, { clock, health, noted }), {
    executions: new ClaimingExecutions(),
    capacity,
    settler: settlerOf(noted),
    types: typesOf(right, run),
    breakers: right.breakers ?? NO_BREAKERS,
    runningHandlers: new RunningHandlers(),
    left: new TasksForOthers(clock),
    mayStart: () => right.mayStart,
    placeFree: () => undefined,
    formerOwners: { takenFrom: () => null },
  });
  /** Takes over the tasks of a claim that was sent just now. */
  const accept = (...tasks: ClaimedTask[]): void => {
    for (const { typeId } of tasks) capacity.take(typeId);
    dispatcher.accept(tasks, claimAt(clock.monotonicMs()));
  };
  const handlerReturns = async (id: string): Promise<void> => {
    returns.get(id)!();
    await clock.settle();
  };
  return { clock, health, dispatcher, capacity, ...noted, accept, handlerReturns };
}

function contextOf(
  right: Situation,
  { clock, health, noted }: { clock: ManualClock; health: Health; noted: Noted },
): EngineContext {
  const { telemetry } = noted;
  const dbClock = jumpedClock(clock, right.jumpedMs ?? 0);
  const own = { home: new SystemContext(), random: new SeededRandom(1), tallies: new Tallies() };
  const context = { clock, dbClock, health, telemetry, ...own, tasks: storeOf(right, noted), options: DEFAULT_OPTIONS };
  return context as unknown as EngineContext;
}

/** A node's clock that is ahead of the store's, until that is read again. */
function jumpedClock(clock: ManualClock, jumpedMs: number) {
  let aheadMs = jumpedMs;
  return {
    timeAt: (monoMs: number) => monoMs + aheadMs,
    errorAt: () => 0,
    estimate: () => ({ nowMs: clock.monotonicMs() + aheadMs, errorMs: 0 }),
    timeUntilDueMs: (at: number) => Math.max(0, at - aheadMs - clock.monotonicMs()),
    readAgain: () => Promise.resolve(void (aheadMs = 0)),
  };
}

function storeOf(right: Situation, { verified, quarantined }: Noted) {
  return {
    verifyStart: (refs: { id: string }[]): Promise<unknown> => {
      verified.push(...refs.map(({ id }) => id));
      return right.answers ? Promise.resolve(refs) : Promise.reject(new Error("no answer"));
    },
    suspectsAmong: async (): Promise<string[]> => {
      if (right.isAway) throw new Error("no answer");
      return right.suspects ?? [];
    },
    enterQuarantine: async ({ id }: { id: string }): Promise<unknown> => {
      quarantined.push(id);
      const { occupiedForMs } = right;
      return occupiedForMs === undefined ? { entered: true } : { entered: false, occupiedForMs };
    },
    endBlockers: async () => right.isBlocked === true,
  };
}

function settlerOf({ writes, deferrals, reasons }: Noted): Settler {
  return {
    failures: { remember: () => undefined },
    write: ({ task }: { task: ClaimedTask }, outcome: Outcome) => {
      writes.push(`${outcome.write} ${task.id}`);
      if (outcome.write !== "settle") reasons.push(outcome.reason);
      if (outcome.write === "defer") deferrals.push(outcome.delayMs);
    },
  } as unknown as Settler;
}

function typesOf(right: Situation, run: (execution: { task: ClaimedTask }) => Promise<unknown>): TypeDirectory {
  return {
    get: (typeId: number) => (typeId === UNKNOWN_TYPE ? undefined : { type: "a" }),
    executorOf: (typeId: number) => (typeId < UNRUN_TYPE ? { run } : undefined),
    clusterLimitsOf: (typeId: number) => (right.rated?.has(typeId) === true ? { rated: [{}] } : UNLIMITED),
    isTaskPaused: ({ typeId }: { typeId: number }) => right.paused?.has(typeId) === true,
  } as unknown as TypeDirectory;
}

/** A claim that was sent then, and answered at once. */
export const claimAt = (atMonoMs: number) => ({ sentMonoMs: atMonoMs, answeredMonoMs: atMonoMs });

/** Executions whose claim is in flight until they are added. */
class ClaimingExecutions extends Executions {
  override add(...[task, type, claim]: Parameters<Executions["add"]>): ExecutionEntry {
    const instants = { knownMonoMs: 0, readyMonoMs: 0, offeredMonoMs: 0 };
    this.claimSent([{ id: task.id, foundBy: "wheel", ...instants }]);
    return super.add(task, type, claim);
  }
}

export function claimed(id: string, more: Partial<ClaimedTask> = {}): ClaimedTask {
  return { id, typeId: 1, dueAt: 10, priority: 5, fence: 1, crashCount: 0, timeoutMs: 60_000, ...more } as ClaimedTask;
}
