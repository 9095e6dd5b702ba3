import type { Draw } from "./draw.js";
import type { Breakage, PlannedFault } from "../plan.js";

/** The time by which all nodes have joined and share a view. */
export const SETTLED_MS = 4_000;

export function drawFaults(draw: Draw, { count, activeMs }: { count: number; activeMs: number }): PlannedFault[] {
  const number = draw.weighted<number>([
    [0, 1],
    [1, 3],
    [2, 4],
    [3, 3],
    [5, 2],
    [8, 1],
  ]);
  const faults = Array.from({ length: number }, (): PlannedFault => {
    const atMs = SETTLED_MS + draw.between(0, activeMs * 0.9);
    const left = SETTLED_MS + activeMs - atMs;
    const breaks = drawBreakage(draw, count);
    return { atMs, forMs: Math.min(drawDuration(draw, breaks), left), breaks };
  });
  return faults.sort((one, other) => one.atMs - other.atMs);
}

/** Nothing breaks: nodes are stopped and started, as when a new version is rolled out. */
export function drawDeploy(draw: Draw, { count, activeMs }: { count: number; activeMs: number }): PlannedFault[] {
  const faults = Array.from({ length: draw.integer(1, 5) }, (): PlannedFault => {
    const breaks: Breakage = draw.chance(0.7)
      ? { kind: "drain", node: draw.integer(0, count - 1) }
      : { kind: "node-joins" };
    return { atMs: SETTLED_MS + draw.between(0, activeMs * 0.9), forMs: draw.between(50, 3_000), breaks };
  });
  return faults.sort((one, other) => one.atMs - other.atMs);
}

/** One node is lost for a long time, in one of several ways. */
export function drawLoss(draw: Draw, { count, activeMs }: { count: number; activeMs: number }): PlannedFault[] {
  const node = draw.integer(0, count - 1);
  const way = draw.pick(["both", "out", "in"] as const);
  const breaks = draw.weighted<Breakage>([
    [{ kind: "postgres-cut", node, way, isSeen: draw.chance(0.5) }, 4],
    [{ kind: "crash", node }, 2],
    [{ kind: "pause", node }, 2],
    [{ kind: "redis-cut", node, way }, 2],
    [{ kind: "block-loop", node }, 1],
  ]);
  return [{ atMs: SETTLED_MS + draw.between(0, activeMs / 2), forMs: draw.between(3_000, 12_000), breaks }];
}

/** A stranger sends messages all the time, whatever else happens. */
export function drawForgeries(draw: Draw, { count, activeMs }: { count: number; activeMs: number }): PlannedFault[] {
  const breaks: Breakage = { kind: "messages-forged", perSecond: draw.integer(5, 100) };
  return [{ atMs: SETTLED_MS, forMs: activeMs, breaks }, ...drawFaults(draw, { count, activeMs })];
}

/** One node after the other goes and comes back, so that another node can always take over. */
export function drawRollingRestart(
  draw: Draw,
  { count, activeMs }: { count: number; activeMs: number },
): PlannedFault[] {
  const faults: PlannedFault[] = [];
  const first = draw.integer(0, count - 1);
  for (let atMs = SETTLED_MS + draw.between(0, 2_000); atMs < SETTLED_MS + activeMs;) {
    const forMs = draw.between(50, 1_500);
    faults.push({ atMs, forMs, breaks: { kind: "drain", node: (first + faults.length) % count } });
    atMs += forMs + draw.between(3_500, 6_000);
  }
  return faults;
}

/**
 * Sometimes a loop blocks for longer than a stand-alone node tolerates, so that the tasks that ran there become
 * suspects.
 */
export function drawBlockedLoops(draw: Draw, { count, activeMs }: { count: number; activeMs: number }): PlannedFault[] {
  return Array.from({ length: draw.integer(1, 2) }, (): PlannedFault => {
    const breaks: Breakage = { kind: "block-loop", node: draw.integer(0, count - 1) };
    return { atMs: SETTLED_MS + draw.between(500, activeMs * 0.7), forMs: draw.between(1_500, 9_000), breaks };
  });
}

/**
 * All nodes leave at about the same time while Postgres is slow. Without a node to take over, they claim until they may
 * no longer.
 */
export function drawFullRestart(draw: Draw, { count, activeMs }: { count: number; activeMs: number }): PlannedFault[] {
  const slow: Breakage = { kind: "postgres-slow", maxPauseMs: 300 };
  const faults: PlannedFault[] = [{ atMs: SETTLED_MS, forMs: activeMs, breaks: slow }];
  for (let atMs = SETTLED_MS + draw.between(0, 2_000); atMs < SETTLED_MS + activeMs; atMs += draw.between(5_000, 7_000))
    for (let node = 0; node < count; node++)
      faults.push({
        atMs: atMs + draw.between(0, 500),
        forMs: draw.between(50, 1_500),
        breaks: { kind: "drain", node },
      });
  return faults.sort((one, other) => one.atMs - other.atMs);
}

/** Faults that may last longer than a leader waits before it declares a node dead, whether it should do so or not. */
const LONG_LASTING: readonly Breakage["kind"][] = ["pause", "block-loop", "postgres-cut", "redis-cut", "redis-hang"];

function drawDuration(draw: Draw, { kind }: Breakage): number {
  if (LONG_LASTING.includes(kind)) {
    return draw.weighted([
      [() => draw.between(50, 3_000), 3],
      [() => draw.between(3_000, 7_500), 3],
      [() => draw.between(7_500, 12_000), 3],
    ])();
  }
  return draw.chance(0.5) ? draw.between(50, 1_500) : draw.between(1_500, 8_000);
}

function drawBreakage(draw: Draw, count: number): Breakage {
  const node = draw.integer(0, count - 1);
  const way = draw.weighted([
    ["both", 3],
    ["out", 1],
    ["in", 2],
  ] as const);
  return draw.weighted<() => Breakage>([
    [() => ({ kind: "crash", node }), 5],
    [() => ({ kind: "drain", node }), 4],
    [() => ({ kind: "pause", node }), 5],
    [() => ({ kind: "block-loop", node }), 2],
    [() => ({ kind: "slow-loop", node, maxLateMs: draw.between(20, 400) }), 1],
    [() => ({ kind: "jump-ahead", node, byMs: draw.between(300, 20_000) }), 0.5],
    [() => ({ kind: "postgres-cut", node, way, isSeen: draw.chance(0.5) }), 5],
    [() => ({ kind: "session-lost", node }), 2],
    [() => ({ kind: "postgres-late", node, maxDelayMs: draw.pick([30, 400, 2_500]) }), 1.5],
    [() => ({ kind: "redis-cut", node, way }), 2],
    [() => ({ kind: "postgres-restart" }), 2],
    [() => ({ kind: "postgres-failover", forgetMs: draw.between(0, 400) }), 1.5],
    [() => ({ kind: "postgres-slow", maxPauseMs: draw.pick([20, 300, 2_500]) }), 3],
    [() => ({ kind: "postgres-clock-step", byMs: draw.pick([-1, 1]) * draw.between(50, 5_000) }), 1],
    [() => ({ kind: "redis-stop", flushes: draw.chance(0.5) }), 2],
    [() => ({ kind: "redis-hang" }), 1],
    [() => ({ kind: "redis-failover", forgetMs: draw.between(0, 3_000) }), 0.7],
    [() => ({ kind: "redis-flush" }), 0.7],
    [() => ({ kind: "redis-clock-step", byMs: draw.pick([-1, 1]) * draw.between(500, 10_000) }), 0.7],
    [() => ({ kind: "messages-lost", share: draw.pick([0.3, 1]) }), 2],
    [() => ({ kind: "messages-late", maxDelayMs: draw.between(50, 4_000) }), 1],
    [() => ({ kind: "node-joins" }), 1],
  ])();
}
