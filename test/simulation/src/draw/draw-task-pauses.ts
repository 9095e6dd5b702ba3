import type { Draw } from "./draw.js";
import { drawTask, KEYS, LAST_DUE_AFTER_MS } from "./draw-task.js";
import type { Action, Plan, PlannedRequest, PlannedTask } from "../plan.js";

type Scene = { plan: Plan; refs: string[] };

/**
 * Tasks that are paused, mostly a little before they are due, and resumed some time later. In between they are
 * sometimes moved, refreshed, merged into, paused again or cancelled. A task that is never resumed stays paused.
 */
export function drawTaskPauses(draw: Draw, scene: Scene): PlannedRequest[] {
  return Array.from({ length: draw.integer(4, 12) }, () => drawTaskPause(draw, scene)).flat();
}

/** One task, and what is asked of it, in the order of time. */
function drawTaskPause(draw: Draw, { plan, refs }: Scene): PlannedRequest[] {
  const atMs = draw.between(500, plan.quietAtMs - 500);
  const lastMs = plan.quietAtMs - atMs;
  const key = draw.chance(0.4) ? draw.pick(KEYS) : null;
  const drawn = drawTask(draw, { refs, longestDelayMs: Math.min(4_000, lastMs + LAST_DUE_AFTER_MS) });
  const task = { ...drawn, key, idempotencyKey: null };
  const dueMs = Math.min(task.delayMs, lastMs);
  const pauseMs = draw.chance(0.7) ? Math.max(0, dueMs + draw.between(-300, 60)) : draw.between(0, lastMs);
  const resumeMs = pauseMs + draw.between(0, 3_000);
  const ask = (kind: "pause" | "resume"): Action =>
    key !== null && draw.chance(0.5) ? { kind: `${kind}-key`, key } : { kind, ref: task.ref };
  const steps: (readonly [afterMs: number, action: Action])[] = [
    [0, { kind: "create", task }],
    [pauseMs, ask("pause")],
    ...(draw.chance(0.4) ? [[draw.between(pauseMs, resumeMs), whileItIsPaused(draw, task, refs)] as const] : []),
    ...(draw.chance(0.9) ? [[resumeMs, ask("resume")] as const] : []),
  ];
  return steps.map(([afterMs, action]) => ({
    atMs: Math.min(plan.quietAtMs, atMs + afterMs),
    node: draw.integer(0, 7),
    action,
  }));
}

function whileItIsPaused(draw: Draw, { ref, key }: PlannedTask, refs: string[]): Action {
  return draw.weighted<() => Action>([
    [() => ({ kind: "reschedule", ref, delayMs: draw.between(0, 2_000) }), 3],
    [() => ({ kind: "edit", ref, priority: draw.integer(0, 9) }), 2],
    [() => ({ kind: "pause", ref }), 2],
    [() => ({ kind: "cancel", ref }), 1],
    [() => ({ kind: "create", task: meeting(draw, key ?? draw.pick(KEYS), refs) }), 3],
  ])();
}

/** A task that meets the holder of a key. */
function meeting(draw: Draw, key: string, refs: string[]): PlannedTask {
  const onConflict = draw.pick(["refresh", "merge", "replace", "return"] as const);
  return { ...drawTask(draw, { refs, longestDelayMs: 2_000 }), key, onConflict, idempotencyKey: null };
}
