import type { Draw } from "./draw.js";
import { drawDelay, drawTask, LAST_DUE_AFTER_MS } from "./draw-task.js";
import type { Action, Plan, PlannedConsumer, PlannedRequest, PlannedTask } from "../plan.js";

type Scene = { plan: Plan; refs: string[] };

/** The types that consumers pull. */
const PULLED_TYPES = ["pulled", "pulled-too"] as const;
const PULLED_KEYS = ["x", "y"];
/** The first calls come when the type may not be there yet. */
const EARLIEST_MS = 500;

/** Two or three consumers, of one type or of two. */
export function drawConsumers(draw: Draw): PlannedConsumer[] {
  return Array.from({ length: draw.integer(2, 3) }, (_, place) => ({
    name: `consumer-${place + 1}`,
    type: place < PULLED_TYPES.length && draw.chance(0.4) ? PULLED_TYPES[place]! : PULLED_TYPES[0],
    fromMs: draw.between(EARLIEST_MS, 3_000),
    max: draw.integer(1, 5),
    leaseMs: draw.pick([1_000, 2_500, 8_000]),
    waitMs: draw.pick([0, 800, 5_000]),
    seed: draw.integer(0, 2 ** 31),
  }));
}

/** Tasks that consumers pull, and what callers do with them: cancels, retries, edits, pauses and limits of the type. */
export function drawPulls(draw: Draw, { plan, refs }: Scene): PlannedRequest[] {
  const { quietAtMs } = plan;
  const types = new Set((plan.consumers ?? []).map(({ type }) => type));
  const pulled: string[] = [];
  const requests: PlannedRequest[] = [];
  const instants = Array.from({ length: draw.integer(8, 20) }, () => draw.between(EARLIEST_MS, quietAtMs));
  for (const atMs of instants.sort((one, other) => one - other)) {
    const action = drawAction(draw, { pulled, refs, types: [...types], longestDelayMs: lastDue(plan, atMs) });
    requests.push({ atMs, node: draw.integer(0, 7), action });
  }
  return [...requests, ...[...types].flatMap((type) => drawSettings(draw, { type, quietAtMs }))];
}

function lastDue({ quietAtMs }: Plan, atMs: number): number {
  return quietAtMs + LAST_DUE_AFTER_MS - atMs;
}

interface PullScope {
  /** The pulled tasks of earlier requests. */
  pulled: string[];
  refs: string[];
  types: readonly string[];
  longestDelayMs: number;
}

function drawAction(draw: Draw, scope: PullScope): Action {
  const { pulled } = scope;
  const isThere = pulled.length > 0 ? 1 : 0;
  const kind = draw.weighted([
    ["create", 6],
    ["create-many", 3],
    ["transaction", 1],
    ["cancel", 4 * isThere],
    ["retry", 2 * isThere],
    ["reschedule", isThere],
  ] as const);
  switch (kind) {
    case "create":
      return { kind, task: drawPulled(draw, scope) };
    case "create-many":
      return { kind, tasks: Array.from({ length: draw.integer(2, 6) }, () => drawPulled(draw, scope)) };
    case "transaction": {
      const actions: Action[] = [{ kind: "create", task: drawPulled(draw, scope) }];
      if (isThere) actions.push({ kind: "cancel", ref: draw.pick(pulled) });
      return { kind, actions, holdMs: draw.between(0, 2_000), commits: draw.chance(0.7) };
    }
    case "cancel":
    case "retry":
      return { kind, ref: draw.pick(pulled) };
    case "reschedule":
      return { kind, ref: draw.pick(pulled), delayMs: drawDelay(draw, scope) };
  }
}

function drawPulled(draw: Draw, scope: PullScope): PlannedTask {
  const task = drawTask(draw, scope);
  scope.pulled.push(task.ref);
  const key = draw.chance(0.3) ? draw.pick(PULLED_KEYS) : null;
  return { ...task, pulledType: draw.pick(scope.types), key };
}

/** A pause of a type, or limits of it for a while. */
function drawSettings(draw: Draw, { type, quietAtMs }: { type: string; quietAtMs: number }): PlannedRequest[] {
  const atMs = draw.between(2_000, quietAtMs);
  const node = draw.integer(0, 7);
  const forMs = draw.between(500, 3_000);
  if (draw.chance(0.3)) return [{ atMs, node, action: { kind: "pause-type", type, forMs } }];
  if (!draw.chance(0.3)) return [];
  const rate = draw.chance(0.5) ? { count: draw.integer(5, 20), perMs: 1_000, burst: draw.integer(1, 5) } : null;
  const maxRunning = rate === null || draw.chance(0.3) ? draw.integer(1, 4) : null;
  return [{ atMs, node, action: { kind: "set-limit", type, maxRunning, rate } }];
}
