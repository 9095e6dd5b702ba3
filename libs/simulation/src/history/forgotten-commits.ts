import type { HistoryEvent, RowChanged } from "./history-event.js";

/**
 * The history without what an asynchronous fail-over forgot: each event before it whose commit lies above the last one
 * kept, and the executions whose claim is among them, which are nobody's now. What remains is judged as if the rest had
 * never been. Pure; O(events).
 *
 * An execution is forgotten until the same node claims the same fence anew; what it does from then on counts again.
 *
 * @returns the very same list where nothing was forgotten
 */
export function withoutForgottenCommits(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const forgotten = forgottenEvents(events);
  if (forgotten.size === 0) return events;
  const orphaned = new Set<string>();
  return events.filter((event) => {
    const claimed = event.kind === "row-changed" ? claimedBy(event) : null;
    if (claimed !== null && forgotten.has(event)) orphaned.add(claimed);
    else if (claimed !== null) orphaned.delete(claimed);
    return !forgotten.has(event) && !(isOfExecution(event) && orphaned.has(nameOf(event)));
  });
}

/** The tasks of which a fail-over has forgotten a change: their fences have gone back, so one may come again. */
export function rewoundTasks(events: readonly HistoryEvent[]): ReadonlySet<string> {
  const ids = [...forgottenEvents(events)].flatMap((event) =>
    event.kind === "row-changed" ? [(event.after ?? event.before)!.id] : [],
  );
  return new Set(ids);
}

/**
 * Walks back from each fail-over: the lowest commit that a later one kept bounds what came before it. An
 * acknowledgement may be late, and tell its caller after the fail-over of what that has forgotten.
 */
function forgottenEvents(events: readonly HistoryEvent[]): Set<HistoryEvent> {
  const forgotten = new Set<HistoryEvent>();
  let keptCommit = Infinity;
  for (let place = events.length - 1; place >= 0; place--) {
    const event = events[place]!;
    if (event.kind === "fault-began" && event.fault.name === "failover")
      keptCommit = Math.min(keptCommit, event.fault.keptCommit);
    else if ("commit" in event && event.commit !== null && event.commit > keptCommit) forgotten.add(event);
  }
  const changes = new Set([...forgotten].flatMap((event) => (event.kind === "row-changed" ? [changeOf(event)] : [])));
  if (changes.size > 0) for (const event of events) if (acknowledges(event, changes)) forgotten.add(event);
  return forgotten;
}

function changeOf({ before, after, commit }: RowChanged): string {
  return `${(after ?? before)!.id} ${commit}`;
}

function acknowledges(event: HistoryEvent, changes: ReadonlySet<string>): boolean {
  switch (event.kind) {
    case "create-acknowledged":
      return event.taskIds.some((id) => changes.has(`${id} ${event.commit}`));
    case "edit-acknowledged":
    case "merge-acknowledged":
    case "cancel-acknowledged":
    case "pause-acknowledged":
    case "retry-acknowledged":
      return changes.has(`${event.taskId} ${event.commit}`);
    default:
      return false;
  }
}

function claimedBy({ before, after }: RowChanged): string | null {
  if (after?.state !== "running" || after.owner === null || before?.state === "running") return null;
  return nameOf({ taskId: after.id, fence: after.fence, bootId: after.owner });
}

type OfExecution = Extract<HistoryEvent, { kind: "started" | "ended" | "timed-out" | "drain-aborted" }>;

/** An effect is not here: it is committed, and remembered or forgotten by itself. */
function isOfExecution(event: HistoryEvent): event is OfExecution {
  return ["started", "ended", "timed-out", "drain-aborted"].includes(event.kind);
}

function nameOf({ taskId, fence, bootId }: { taskId: string; fence: number; bootId: string }): string {
  return `${taskId} ${fence} ${bootId}`;
}
