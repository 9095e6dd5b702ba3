import type { Draw } from "./draw.js";
import type { Behaviour, PlannedTask } from "../plan.js";

/** No task is due later than this after the last fault: a run that waited for it would only show an idle cluster.
 */
export const LAST_DUE_AFTER_MS = 6_000;
export const KEYS = ["a", "b", "c"];
/** Longer than the work of any handler that ends. */
export const LONG_TIMEOUT_MS = 10_000;

/** The tasks that a request can name, and how far ahead it may lie. */
export interface Scope {
  /** The tasks of earlier requests. */
  refs: string[];
  longestDelayMs: number;
}

export function drawTask(draw: Draw, scope: Scope): PlannedTask {
  const ref = `t${scope.refs.length + 1}`;
  scope.refs.push(ref);
  const isKeyed = draw.chance(0.35);
  return {
    ref,
    delayMs: drawDelay(draw, scope),
    key: isKeyed ? draw.pick(KEYS) : null,
    onConflict: draw.weighted([
      ["refresh", 5],
      ["replace", 3],
      ["reject", 1],
      ["return", 1],
    ] as const),
    idempotencyKey: draw.chance(0.15) ? `once-${draw.integer(1, 3)}` : null,
    maxAttempts: draw.integer(1, 3),
    timeoutMs: draw.pick([800, 2_500, LONG_TIMEOUT_MS]),
    retryDelayMs: draw.pick([0, 200, 1_500]),
    priority: draw.integer(0, 9),
    startDeadlineMs: draw.chance(0.12) ? draw.between(0, 4_000) : null,
    behaviour: drawBehaviour(draw),
  };
}

/** Mostly soon; some late enough to be found by the loader, some beyond the horizon. */
export function drawDelay(draw: Draw, { longestDelayMs }: Scope): number {
  const delayMs = draw.weighted([
    [() => 0, 2],
    [() => draw.between(1, 1_500), 5],
    [() => draw.between(1_500, 9_000), 5],
    [() => draw.between(9_000, 22_000), 2],
  ])();
  return delayMs <= longestDelayMs ? delayMs : draw.between(0, longestDelayMs);
}

function drawBehaviour(draw: Draw): Behaviour {
  const kind = draw.chance(0.5) ? "effect" : "plain";
  const workMs = draw.weighted([
    [() => 0, 3],
    [() => draw.between(1, 60), 5],
    [() => draw.between(60, 1_500), 3],
    [() => draw.between(1_500, 6_000), 1],
  ])();
  const fails = draw.weighted<Behaviour["fails"]>([
    [null, 12],
    ["throws", 4],
    ["hangs", 1],
    ["ignores-abort", 1],
    ["kills-node", 0.6],
    ["blocks-loop", 0.5],
    ["gives-up", 0.5],
  ]);
  return { kind, workMs, fails, times: draw.integer(1, 3) };
}
