import type { Draw } from "./draw.js";
import { drawTask, KEYS, LONG_TIMEOUT_MS } from "./draw-task.js";
import type { Action, Behaviour, Plan, PlannedRequest, PlannedTask } from "../plan.js";
import { TYPES } from "../simulated-process.js";

type Scene = { plan: Plan; refs: string[] };

const LONGEST_PAUSE_MS = 5_000;
/** How long before a pause its crowd is created. */
const CROWD_MS = 200;

/**
 * Types that are paused for a while, and now and then resumed before their time, paused anew meanwhile, or given fewer
 * places; and keys, with tasks that become due meanwhile. Every pause ends by itself, whatever becomes of who asked for
 * it.
 */
export function drawTypePauses(draw: Draw, scene: Scene): PlannedRequest[] {
  return [
    ...Array.from({ length: draw.integer(3, 8) }, () => drawTypePause(draw, scene)).flat(),
    ...Array.from({ length: draw.integer(1, 4) }, () => drawKeyPause(draw, scene)).flat(),
    ...drawForgottenSuccesses(draw, scene),
  ];
}

function drawTypePause(draw: Draw, { plan, refs }: Scene): PlannedRequest[] {
  const { quietAtMs } = plan;
  const type = draw.pick(TYPES);
  const forMs = draw.between(300, LONGEST_PAUSE_MS);
  const atMs = draw.between(1_500, Math.max(1_600, quietAtMs - forMs));
  const meanwhile = draw.weighted<() => Action | null>([
    [() => null, 4],
    [() => ({ kind: "resume-type", type }), 4],
    [() => ({ kind: "pause-type", type, forMs: draw.between(100, 2_000) }), 2],
    [() => ({ kind: "set-concurrency", type, concurrency: draw.chance(0.5) ? draw.integer(1, 3) : null }), 2],
  ])();
  const steps: [afterMs: number, action: Action][] = [
    [-CROWD_MS, { kind: "create-many", tasks: drawCrowd(draw, { type, refs }) }],
    [0, { kind: "pause-type", type, forMs }],
    ...(meanwhile ? [[draw.between(0, forMs), meanwhile] as [number, Action]] : []),
    ...(meanwhile?.kind === "set-concurrency"
      ? [[forMs, { kind: "set-concurrency", type, concurrency: null }] as [number, Action]]
      : []),
  ];
  return steps.map(([afterMs, action]) => ({
    atMs: Math.min(quietAtMs, Math.max(500, atMs + afterMs)),
    node: draw.integer(0, 7),
    action,
  }));
}

function drawKeyPause(draw: Draw, { plan, refs }: Scene): PlannedRequest[] {
  const key = draw.pick(KEYS);
  const forMs = draw.between(300, LONGEST_PAUSE_MS);
  const atMs = draw.between(1_500, Math.max(1_600, plan.quietAtMs - forMs));
  const create = (): Action => {
    const task = drawTask(draw, { refs, longestDelayMs: 600 });
    const onConflict = draw.pick(["refresh", "replace", "return"] as const);
    return { kind: "create", task: { ...task, key, onConflict, idempotencyKey: null, startDeadlineMs: null } };
  };
  const steps: [afterMs: number, action: Action][] = [
    [-draw.between(0, 2 * CROWD_MS), create()],
    [0, { kind: "hold-key", key, forMs }],
    [draw.between(0, forMs), create()],
    ...(draw.chance(0.5) ? [[draw.between(0, forMs), { kind: "release-key", key }] as [number, Action]] : []),
  ];
  return steps.map(([afterMs, action]) => ({
    atMs: Math.min(plan.quietAtMs, Math.max(500, atMs + afterMs)),
    node: draw.integer(0, 7),
    action,
  }));
}

/** For a while, or to the end, a type keeps no success. */
function drawForgottenSuccesses(draw: Draw, { plan }: Scene): PlannedRequest[] {
  const type = draw.pick(TYPES);
  const atMs = draw.between(1_500, plan.quietAtMs);
  const requestOf = (isKept: boolean, afterMs: number): PlannedRequest => ({
    atMs: Math.min(plan.quietAtMs, atMs + afterMs),
    node: draw.integer(0, 7),
    action: { kind: "keep-successes", type, isKept },
  });
  return [requestOf(false, 0), ...(draw.chance(0.5) ? [requestOf(true, draw.between(500, LONGEST_PAUSE_MS))] : [])];
}

/** Tasks of a type that is about to be paused: some run by then, some are claimed and wait for a place. */
function drawCrowd(draw: Draw, { type, refs }: { type: (typeof TYPES)[number]; refs: string[] }): PlannedTask[] {
  return Array.from({ length: draw.integer(2, 10) }, () => {
    const task = drawTask(draw, { refs, longestDelayMs: 2 * CROWD_MS });
    const behaviour: Behaviour = { ...task.behaviour, kind: type, workMs: draw.between(20, 600), fails: null };
    const plain = { key: null, idempotencyKey: null, startDeadlineMs: null, timeoutMs: LONG_TIMEOUT_MS };
    return { ...task, ...plain, delayMs: draw.between(0, 2 * CROWD_MS), behaviour };
  });
}
