import type { SchedulerOptions } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { Draw } from "./draw.js";
import { drawLimits } from "./draw-limits.js";
import { drawConsumers, drawPulls } from "./draw-pulls.js";
import { drawTaskPauses } from "./draw-task-pauses.js";
import { drawTypePauses } from "./draw-type-pauses.js";
import { drawDelay, drawTask, KEYS, LAST_DUE_AFTER_MS, LONG_TIMEOUT_MS, type Scope } from "./draw-task.js";
import {
  drawBlockedLoops,
  drawDeploy,
  drawFaults,
  drawForgeries,
  drawFullRestart,
  drawLoss,
  drawRollingRestart,
  SETTLED_MS,
} from "./draw-faults.js";
import type { Action, Behaviour, Plan, PlannedConsumer, PlannedFault, PlannedRequest, PlannedTask } from "../plan.js";

/**
 * How many tasks fall due while a node of a rolling restart leaves, and for how long at most no other node owns its
 * slots.
 */
const DUE_AT_DRAIN = 8;
const LEAVING_MS = 600;
/** The time within which many callers of one node refresh one key: about as long as a write takes. */
const DEBOUNCED_MS = 4;
/** The intervals of the two sweeps, in proportion, but short enough for a short run. */
/**
 * In one seed of ten handlers put their tasks off, and two of three may. It draws nothing: other seeds stay as they
 * are.
 */
const SNOOZES_EVERY = 10;
const SNOOZES_PLACE = 4;
/** In one seed of ten types have breakers. It draws nothing either. */
const BREAKERS_EVERY = 10;
const BREAKERS_PLACE = 7;
const SHORT_SEARCHES: Partial<SchedulerOptions> = { fullSweepIntervalMs: 10_000, sweepLookbackMs: 8_000 };
/** In one plan of this many, the nodes ask the store which types have tasks, as with thousands of types. */
const FEW_PROBED_EVERY = 4;
/** Room for all tasks of a run, but no more, because unused memory costs time too. */
const WHEEL_CAPACITY = 256;

const COORDINATION = [
  ["redis", 85],
  ["postgres", 8],
  ["none", 7],
] as const;
/** The hand-over between nodes is visible if no message speeds it up. */
const DEPLOY_COORDINATION = [
  ["redis", 40],
  ["postgres", 15],
  ["none", 45],
] as const;
/** A plan of a seed. @param nodes how many there are; default: drawn, mostly 2 or 3 */
export function drawPlan(seed: number, nodes?: number): Plan {
  const draw = new Draw(new SeededRandom(Math.imul(seed + 1, 0x9e3779b1)));
  const count =
    nodes ??
    draw.weighted<number>([
      [2, 5],
      [3, 6],
      [4, 2],
      [1, 1],
      [5, 1],
    ]);
  const activeMs = draw.between(6_000, 16_000);
  const quietAtMs = SETTLED_MS + activeMs;
  const upset = upsetOf(seed, draw);
  const refs: string[] = [];
  const plan: Plan = {
    ...upset.options,
    seed,
    nodes: count,
    ...(seed % SNOOZES_EVERY === SNOOZES_PLACE ? { snoozes: true } : {}),
    ...(seed % BREAKERS_EVERY === BREAKERS_PLACE ? { breakers: true } : {}),
    options: {
      ...SHORT_SEARCHES,
      ...(seed % SNOOZES_EVERY === SNOOZES_PLACE ? { maxSnoozes: 2 } : {}),
      ...(seed % 32 === IMPATIENT_PLACE ? IMPATIENT : {}),
      ...(seed % FEW_PROBED_EVERY === 1 ? { probedTypeCount: 1 } : {}),
      wheelCapacity: WHEEL_CAPACITY,
      livenessPollMs: draw.chance(0.3) ? 250 : 500,
      ...(draw.chance(0.15) ? { concurrency: draw.integer(2, 4) } : {}),
      ...(draw.chance(0.3) ? { drainTimeoutMs: 2_000 } : {}),
      ...(draw.chance(0.1) ? { loopBlockedFenceMs: 8_000 } : {}),
      ...upset.options?.options,
    },
    coordination: draw.weighted(upset.coordination),
    clockRates: Array.from({ length: count }, () => (draw.chance(0.2) ? draw.between(0.999, 1.001) : 1)),
    requests: drawRequests(draw, { refs, quietAtMs }),
    faults: upset.faults(draw, { count, activeMs }),
    quietAtMs,
    ...(upset.consumers ? { consumers: upset.consumers(draw) } : {}),
  };
  return upset.requests ? { ...plan, requests: [...plan.requests, ...upset.requests(draw, { plan, refs })] } : plan;
}

interface Upset {
  coordination: typeof COORDINATION | typeof DEPLOY_COORDINATION;
  faults: (draw: Draw, length: { count: number; activeMs: number }) => PlannedFault[];
  /** How the nodes differ from the defaults. */
  options?: Pick<Plan, "killsBlocked" | "options">;
  consumers?: (draw: Draw) => PlannedConsumer[];
  /** Further requests. */
  requests?: (draw: Draw, given: { plan: Plan; refs: string[] }) => PlannedRequest[];
}

const BLOCKER = { workMs: 5_000, fails: "blocks-loop", times: 3 } as const;
const BLOCKED_LOOPS: Upset["options"] = { killsBlocked: true, options: { loopBlockedFenceMs: 3_000 } };

/**
 * Each of these occurs in one of sixteen successive seeds: two for the rules that hold only if nothing else is wrong,
 * one for claims at the end of their node's right to claim, one for loops that block until their node is killed, and
 * one for forged messages.
 */
const UPSETS_BY_PLACE: Readonly<Record<number, Upset>> = {
  5: { coordination: COORDINATION, faults: drawLoss },
  7: { coordination: COORDINATION, faults: drawBlockedLoops, requests: drawCrowds, options: BLOCKED_LOOPS },
  11: { coordination: COORDINATION, faults: drawForgeries },
  9: { coordination: COORDINATION, faults: drawFullRestart },
  13: { coordination: DEPLOY_COORDINATION, faults: drawRollingRestart, requests: drawDueAtDrains },
};

/**
 * The place, in thirty-two seeds, of those with a loss whose statements time out early: a leader that has lost Postgres
 * then notices it before its lock has expired, and must let the lock expire.
 */
const IMPATIENT_PLACE = 21;
const IMPATIENT: Partial<SchedulerOptions> = { statementTimeoutMs: 1_200 };

/** The place in sixteen of seeds whose callers refresh one key together, whatever happens to the nodes. */
const DEBOUNCED_PLACE = 2;

/** The place in sixteen of seeds whose callers name one key many times in one request. */
const BULKY_PLACE = 4;

/** The place in sixteen of seeds whose callers merge into the tasks of keys. */
const MERGING_PLACE = 6;

/** The place in sixteen of seeds whose callers pause and resume tasks. */
const TASK_PAUSES_PLACE = 12;

/** The place in sixteen of seeds whose callers limit types in the whole cluster. */
const LIMITS_PLACE = 10;

/** The places in sixteen of seeds with tasks that consumers pull. */
const PULL_PLACES = [3, 8];

/** The place in sixteen of seeds whose callers pause types. */
const TYPE_PAUSES_PLACE = 14;
/** So that some of what is claimed waits for a place. */
const FEW_PLACES: Upset["options"] = { options: { concurrency: 3 } };

/** What happens to the nodes of a seed. */
function upsetOf(seed: number, draw: Draw): Upset {
  const drawn: Upset = draw.chance(0.1)
    ? { coordination: DEPLOY_COORDINATION, faults: drawDeploy }
    : { coordination: COORDINATION, faults: drawFaults };
  if (seed % 16 === DEBOUNCED_PLACE) return { ...drawn, requests: drawDebounces };
  if (seed % 16 === BULKY_PLACE) return { ...drawn, requests: drawBulksOfOneKey };
  if (seed % 16 === MERGING_PLACE) return { ...drawn, requests: drawMerges };
  if (seed % 16 === TASK_PAUSES_PLACE) return { ...drawn, requests: drawTaskPauses };
  if (seed % 16 === TYPE_PAUSES_PLACE) return { ...drawn, requests: drawTypePauses, options: FEW_PLACES };
  if (PULL_PLACES.includes(seed % 16)) return { ...drawn, requests: drawPulls, consumers: drawConsumers };
  if (seed % 16 === LIMITS_PLACE) return { ...drawn, requests: drawLimits };
  return UPSETS_BY_PLACE[seed % 16] ?? drawn;
}

function drawRequests(draw: Draw, { refs, quietAtMs }: { refs: string[]; quietAtMs: number }): PlannedRequest[] {
  const requests: PlannedRequest[] = [];
  const count = draw.integer(8, 36);
  const at = (): number => (draw.chance(0.25) ? draw.between(500, SETTLED_MS) : draw.between(SETTLED_MS, quietAtMs));
  for (const atMs of Array.from({ length: count }, at).sort((one, other) => one - other)) {
    const longestDelayMs = quietAtMs + LAST_DUE_AFTER_MS - atMs;
    requests.push({ atMs, node: draw.integer(0, 7), action: drawAction(draw, { refs, longestDelayMs }) });
  }
  return requests;
}

/**
 * Tasks and types are paused and limited in seeds of their own: see `drawTaskPauses`, `drawTypePauses`, `drawLimits`.
 */
type TaskPause =
  | ("pause" | "pause-key" | "resume" | "resume-key")
  | ("pause-type" | "resume-type" | "hold-key" | "release-key" | "set-concurrency" | "set-limit" | "keep-successes");

function drawAction(draw: Draw, scope: Scope, isNested = false): Action {
  const { refs } = scope;
  const kind = draw.weighted<Exclude<Action["kind"], TaskPause>>([
    ["create", 12],
    ["create-many", isNested ? 0 : 2],
    ["cancel", refs.length > 0 ? 4 : 0],
    ["cancel-key", 1],
    ["reschedule", refs.length > 0 ? 3 : 0],
    ["edit", refs.length > 0 ? 1 : 0],
    ["retry", refs.length > 0 ? 3 : 0],
    ["transaction", isNested ? 0 : 3],
  ]);
  switch (kind) {
    case "create":
      return { kind, task: drawTask(draw, scope) };
    case "create-many":
      return { kind, tasks: Array.from({ length: draw.integer(2, 6) }, () => drawTask(draw, scope)) };
    case "cancel":
    case "retry":
      return { kind, ref: draw.pick(refs) };
    case "cancel-key":
      return { kind, key: draw.pick(KEYS) };
    case "reschedule":
      return { kind, ref: draw.pick(refs), delayMs: drawDelay(draw, scope) };
    case "edit":
      return { kind, ref: draw.pick(refs), priority: draw.integer(0, 9) };
    case "transaction":
      return drawTransaction(draw, scope);
  }
}

function drawTransaction(draw: Draw, scope: Scope): Action {
  const actions = Array.from({ length: draw.integer(1, 3) }, () => drawAction(draw, scope, true));
  // Sometimes for longer than the sweep looks back.
  const holdMs = draw.weighted([
    [() => draw.between(0, 30), 4],
    [() => draw.between(100, 3_500), 6],
    [() => draw.between(8_000, 12_000), 0.7],
  ])();
  return { kind: "transaction", actions, holdMs, commits: draw.chance(0.75) };
}

/**
 * Tasks that fall due while a node leaves, created long before. Until other nodes own its slots, only the node itself
 * can start them.
 */
function drawDueAtDrains(draw: Draw, { plan, refs }: { plan: Plan; refs: string[] }): PlannedRequest[] {
  return plan.faults.map(({ atMs: drainAtMs }) => {
    const atMs = Math.max(500, drainAtMs - draw.between(5_500, 8_000));
    const tasks = Array.from({ length: DUE_AT_DRAIN }, (): PlannedTask => {
      const delayMs = drainAtMs - atMs + draw.between(0, LEAVING_MS);
      const task = drawTask(draw, { refs, longestDelayMs: delayMs });
      return { ...task, delayMs, key: null, idempotencyKey: null, startDeadlineMs: null };
    });
    return { atMs, node: draw.integer(0, 7), action: { kind: "create-many", tasks } };
  });
}

/** Callers of one node that refresh one key at the same moment, beside everything else. */
function drawDebounces(draw: Draw, { plan, refs }: { plan: Plan; refs: string[] }): PlannedRequest[] {
  return Array.from({ length: draw.integer(3, 8) }, () => {
    const beginMs = draw.between(500, plan.quietAtMs - DEBOUNCED_MS);
    const node = draw.integer(0, 7);
    const key = draw.pick(KEYS);
    return Array.from({ length: draw.integer(2, 7) }, (): PlannedRequest => {
      const atMs = beginMs + draw.between(0, DEBOUNCED_MS);
      const task = drawTask(draw, { refs, longestDelayMs: plan.quietAtMs + LAST_DUE_AFTER_MS - atMs });
      return {
        atMs,
        node,
        action: { kind: "create", task: { ...task, key, onConflict: "refresh", idempotencyKey: null } },
      };
    });
  }).flat();
}

/** Bulks whose tasks have one key or two, the same policy a few times in succession. */
function drawBulksOfOneKey(draw: Draw, { plan, refs }: { plan: Plan; refs: string[] }): PlannedRequest[] {
  return Array.from({ length: draw.integer(3, 8) }, () => {
    const atMs = draw.between(500, plan.quietAtMs);
    const key = draw.pick(KEYS);
    let onConflict: PlannedTask["onConflict"] = "replace";
    const tasks = Array.from({ length: draw.integer(2, 9) }, (): PlannedTask => {
      if (draw.chance(0.3)) onConflict = draw.pick(["replace", "refresh", "replace", "refresh", "return"]);
      const task = drawTask(draw, { refs, longestDelayMs: plan.quietAtMs + LAST_DUE_AFTER_MS - atMs });
      return { ...task, key: draw.chance(0.9) ? key : draw.pick(KEYS), onConflict, idempotencyKey: null };
    });
    return { atMs, node: draw.integer(0, 7), action: { kind: "create-many", tasks } };
  });
}

/**
 * Callers of any nodes that merge into one key within some seconds, alone and in bulks, and sometimes take the task
 * out.
 */
function drawMerges(draw: Draw, { plan, refs }: { plan: Plan; refs: string[] }): PlannedRequest[] {
  return Array.from({ length: draw.integer(3, 8) }, () => {
    const beginMs = draw.between(500, plan.quietAtMs);
    const lastsMs = draw.pick([DEBOUNCED_MS, 300, 3_000]);
    const key = draw.pick(KEYS);
    const mergeAt = (atMs: number): PlannedTask => {
      const longestDelayMs = Math.min(2_500, plan.quietAtMs + LAST_DUE_AFTER_MS - atMs);
      const task = drawTask(draw, { refs, longestDelayMs });
      const merge = { ...task, key, onConflict: "merge" as const, idempotencyKey: null };
      return draw.chance(0.3) ? { ...merge, maxWaitMs: draw.between(0, 4_000) } : merge;
    };
    return Array.from({ length: draw.integer(2, 9) }, (): PlannedRequest => {
      const atMs = Math.min(plan.quietAtMs, beginMs + draw.between(0, lastsMs));
      const action = draw.weighted<() => Action>([
        [() => ({ kind: "create", task: mergeAt(atMs) }), 12],
        [() => ({ kind: "create-many", tasks: Array.from({ length: draw.integer(2, 5) }, () => mergeAt(atMs)) }), 3],
        [() => ({ kind: "cancel-key", key }), 1],
      ])();
      return { atMs, node: draw.integer(0, 7), action };
    });
  }).flat();
}

/** Tasks that run for long while a loop blocks, and sometimes the task that blocks it. */
function drawCrowds(draw: Draw, { plan, refs }: { plan: Plan; refs: string[] }): PlannedRequest[] {
  return plan.faults.map(({ atMs: blockedAtMs }) => {
    const atMs = Math.max(500, blockedAtMs - draw.between(300, 2_000));
    const tasks = Array.from({ length: draw.integer(3, 12) }, (_, place): PlannedTask => {
      const task = drawTask(draw, { refs, longestDelayMs: 300 });
      const isBlocker = place === 0 && draw.chance(0.5);
      const how = isBlocker ? BLOCKER : { workMs: draw.between(500, 4_000), fails: null };
      const behaviour: Behaviour = { ...task.behaviour, ...how };
      const plain = { key: null, idempotencyKey: null, startDeadlineMs: null, timeoutMs: LONG_TIMEOUT_MS };
      return { ...task, ...plain, delayMs: draw.between(0, 300), behaviour };
    });
    return { atMs, node: draw.integer(0, 7), action: { kind: "create-many", tasks } };
  });
}
