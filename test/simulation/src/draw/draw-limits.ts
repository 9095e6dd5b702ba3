import type { Draw } from "./draw.js";
import { drawTask, LONG_TIMEOUT_MS } from "./draw-task.js";
import type { Action, Behaviour, Plan, PlannedRequest, PlannedTask } from "../plan.js";
import { TYPES } from "../simulated-process.js";

type Scene = { plan: Plan; refs: string[] };
type SetLimit = Extract<Action, { kind: "set-limit" }>;

/**
 * Types that are limited in the whole cluster, each with a crowd of tasks: from the first seconds to the end, or for a
 * while, now and then otherwise meanwhile.
 */
export function drawLimits(draw: Draw, { plan, refs }: Scene): PlannedRequest[] {
  const { quietAtMs } = plan;
  return TYPES.filter(() => draw.chance(0.6)).flatMap((type) => {
    const atMs = draw.between(1_000, 4_000);
    const endMs = draw.chance(0.5) ? null : draw.between(atMs + 2_000, quietAtMs);
    const steps: [atMs: number, action: Action][] = [
      [atMs, drawLimit(draw, type)],
      ...Array.from({ length: draw.integer(1, 4) }, (): [number, Action] => [
        draw.between(Math.max(500, atMs - 500), quietAtMs),
        { kind: "create-many", tasks: drawCrowd(draw, { type, refs }) },
      ]),
      ...(draw.chance(0.4)
        ? [[draw.between(atMs, endMs ?? quietAtMs), drawLimit(draw, type)] as [number, Action]]
        : []),
      ...(endMs === null
        ? []
        : [[endMs, { kind: "set-limit", type, maxRunning: null, rate: null }] as [number, Action]]),
    ];
    return steps.map(([at, action]) => ({ atMs: Math.min(quietAtMs, at), node: draw.integer(0, 7), action }));
  });
}

function drawLimit(draw: Draw, type: string): SetLimit {
  const rate = { count: draw.integer(5, 40), perMs: 1_000, burst: draw.integer(1, 5) };
  const maxRunning = draw.pick([1, 2, 5]);
  return draw.weighted<() => SetLimit>([
    [() => ({ kind: "set-limit", type, maxRunning, rate: null }), 5],
    [() => ({ kind: "set-limit", type, maxRunning: null, rate }), 3],
    [() => ({ kind: "set-limit", type, maxRunning, rate }), 2],
  ])();
}

/** Tasks that are due together, and run for a moment. */
function drawCrowd(draw: Draw, { type, refs }: { type: (typeof TYPES)[number]; refs: string[] }): PlannedTask[] {
  const longestDelayMs = 800;
  return Array.from({ length: draw.integer(3, 12) }, () => {
    const task = drawTask(draw, { refs, longestDelayMs });
    const behaviour: Behaviour = { ...task.behaviour, kind: type, workMs: draw.between(5, 300) };
    const plain = { key: null, idempotencyKey: null, startDeadlineMs: null, timeoutMs: LONG_TIMEOUT_MS };
    return { ...task, ...plain, delayMs: draw.between(0, longestDelayMs), behaviour };
  });
}
