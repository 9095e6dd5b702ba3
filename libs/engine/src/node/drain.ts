import { inWords } from "@tickwheel/coordination";
import { doneWithin, rescheduledBy, type TaskHint } from "@tickwheel/core";
import type { Capacity } from "../held/capacity.js";
import type { Claimers } from "../claiming/claimers.js";
import type { ClusterMember } from "./cluster-member.js";
import type { Dispatcher } from "../running/dispatcher.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { ExecutionEntry, Executions } from "../held/executions.js";
import type { Reconciler } from "../recovery/reconciler.js";
import type { Settler } from "../ending/settler.js";

/** How long aborted handlers may take to return before their tasks are released anyway. */
const ABORT_GRACE_MS = 500;

interface DrainParts {
  member: Pick<ClusterMember, "bootId" | "announceLeaving" | "startDraining">;
  /** Ends the search for work. */
  stopFinding(): Promise<void>;
  /** Receives tasks that are scheduled again. */
  publish: (hints: TaskHint[]) => void;
  executions: Pick<Executions, "get" | "in">;
  claimers: Claimers;
  dispatcher: Dispatcher;
  capacity: Capacity;
  settler: Settler;
  reconciler: Pick<Reconciler, "stop">;
}

/**
 * The orderly end of a node's work. The node leaves the view while it still claims; then it stops claiming, gives back
 * what has not started, waits for handlers, aborts those that do not end, and leaves no row running under its name. No
 * attempt is charged. Rows in doubt are looked for until the end, because a handler may take its time and other rows
 * should not wait for it.
 *
 * Each step is bounded. A failed step (the store may be away) is reported and skipped: the others reap or release what
 * it left behind.
 */
export async function drain(context: EngineContext, parts: DrainParts): Promise<void> {
  const { claimers, dispatcher, capacity, settler, reconciler, member } = parts;
  const { drainTimeoutMs, statementTimeoutMs } = context.options;
  const step = (name: string, work: () => Promise<unknown>): Promise<void> => attempt(context, name, work);

  const startMonoMs = context.clock.monotonicMs();
  const { bootId } = member;

  await step("announce", () => member.announceLeaving());
  await step("start", () => member.startDraining());
  await claimers.stop();
  dispatcher.refuse("drain");
  // Parallel to the wait for handlers: a search may be in the middle of many pages.
  const nothingFinds = parts.stopFinding();
  tellWait(context, parts.executions.in("running"));
  if (!(await doneWithin(context.clock, drainTimeoutMs, capacity.whenIdle())))
    tellAbort(context, parts.executions.in("running"));
  const givenBack = parts.executions.in("running").length;
  dispatcher.abortRunning("drain");
  await doneWithin(context.clock, ABORT_GRACE_MS, capacity.whenIdle());
  dispatcher.releaseAborted();
  await doneWithin(context.clock, statementTimeoutMs, settler.whenIdle());
  const nothingReconciles = reconciler.stop();
  await doneWithin(context.clock, statementTimeoutMs, nothingFinds);
  await doneWithin(context.clock, statementTimeoutMs, nothingReconciles);
  await step("release", () => releaseRest(context, parts));
  const facts = { lastedMs: Math.round(context.clock.monotonicMs() - startMonoMs), givenBack };
  if (bootId !== null) context.events?.add({ kind: "DRAINED", bootId, facts });
}

function tellWait({ telemetry, options }: EngineContext, entries: readonly ExecutionEntry[]): void {
  const { drainTimeoutMs: limitMs } = options;
  const { running, types, words } = runningOf(entries);
  const waits = `the node claims no more, and waits at most ${limitMs} ms for ${running} running (${words})`;
  const message = running === 0 ? "The node claims no more; no handler runs" : `Stopping: ${waits}`;
  telemetry.emit({ name: "node.stop.draining", level: "info", message, facts: { running, types, limitMs } });
}

function tellAbort({ telemetry, options }: EngineContext, entries: readonly ExecutionEntry[]): void {
  const { drainTimeoutMs: limitMs } = options;
  const { running, types, words } = runningOf(entries);
  const message = `${running} did not end within ${limitMs} ms (${words}): their signals abort, and other nodes run them again`;
  telemetry.emit({ name: "node.stop.aborting", level: "warn", message, facts: { running, types, limitMs } });
}

/** What runs; `words` for people: `resize × 3, mail`. */
function runningOf(entries: readonly ExecutionEntry[]): { running: number; types: string[]; words: string } {
  const counts = new Map<string, number>();
  for (const { type } of entries) counts.set(type.type, (counts.get(type.type) ?? 0) + 1);
  const words = inWords([...counts].map(([type, count]) => ({ type, count })));
  return { running: entries.length, types: [...counts.keys()], words };
}

/**
 * Rows whose end could not be written, and rows that this node does not know, such as those of a claim whose reply was
 * lost.
 */
async function releaseRest(context: EngineContext, { member, executions, publish }: DrainParts): Promise<void> {
  const owner = member.bootId;
  if (owner === null) return;
  const rows = await context.tasks.runningUnder(owner);
  if (rows.length === 0) return;
  const releases = rows.map(({ id, fence }) => {
    const { startedAt = 0, latenessParts } = executions.get({ id, fence }) ?? {};
    return { id, owner, fence, reason: "DRAIN", startedAt: startedAt || undefined, latenessParts };
  });
  publish(rescheduledBy(await context.tasks.release(releases)));
}

async function attempt(context: EngineContext, step: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    context.telemetry.emit({
      name: `engine.drain.${step}_failed`,
      level: "warn",
      message: `the drain's step "${step}" failed and was passed over`,
      error,
    });
  }
}
