import type { SimulatedProcess } from "./simulated-process.js";
import type { World } from "./world.js";

/** A cluster is at rest if it had nothing to do for this long: every loop of a node has turned once. */
const AT_REST_MS = 5_500;
const LOOK_EVERY_MS = 500;

/**
 * Lets a run go on, without further requests and faults, until the cluster is at rest: all tasks have ended, and every
 * process is a member of the cluster again. Breakers are closed as by somebody who knows that all works again: a node
 * keeps tasks in mind whose type rests.
 *
 * @returns false: it is not at rest after `limitMs`
 */
export async function comesToRest(world: World, limitMs: number): Promise<boolean> {
  const { time } = world;
  const endMs = time.monotonicMs() + limitMs;
  for (let restingSinceMs: number | null = null; time.monotonicMs() < endMs;) {
    await time.advance(LOOK_EVERY_MS);
    closeBreakers(world);
    if (hasWork(world) || !isSettled(world)) restingSinceMs = null;
    else restingSinceMs ??= time.monotonicMs();
    if (restingSinceMs !== null && time.monotonicMs() - restingSinceMs >= AT_REST_MS) return true;
  }
  return false;
}

function closeBreakers(world: World): void {
  const closer = world.processes.find(
    ({ isOver, isStopping, clock }) => !isOver && !isStopping && clock.state === "running",
  );
  const breakers = closer?.node.breakers ?? null;
  if (closer === undefined || breakers === null) return;
  for (const { namespace, name: type } of breakers.all())
    world.spawn(closer, "closing a breaker", () => breakers.close({ namespace, type, actor: "operator" }));
}

/** Whether a task waits or runs. */
function hasWork({ database }: World): boolean {
  for (const { committed } of database.tables.tasks.values()) {
    if (committed?.state === "scheduled" || committed?.state === "running") return true;
  }
  return false;
}

/**
 * Whether no caller waits for an answer; the rows of the cluster, its beats and its view name exactly the running
 * processes; and each process knows that view.
 */
function isSettled({ database, processes, restarts, owesAnswers }: World): boolean {
  const { nodes, beats, view } = database.cluster;
  const there = processes.filter(({ isOver }) => !isOver);
  if (restarts > 0 || owesAnswers || !there.every(isReady)) return false;
  const live = [...nodes.values()].filter(({ state }) => state !== "dead");
  const known = [live, [...beats.values()], view?.nodes ?? []].map((rows) => rows.map(({ bootId }) => bootId));
  const held = there.map(({ node }) => node.holdings());
  const bootIds = held.map(({ bootId }) => bootId!);
  return known.every((names) => isSame(names, bootIds)) && held.every((holds) => holds.view === (view?.number ?? 0));
}

/** Whether it is a node, runs undisturbed, and no handler holds a place in it. */
function isReady({ isStopping, clock, bootId, runsHandlers }: SimulatedProcess): boolean {
  return !isStopping && clock.state === "running" && bootId !== null && !runsHandlers;
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name) => others.includes(name));
}
