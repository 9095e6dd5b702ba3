import { cancelledAccounts } from "./effect-rules.js";
import type { FaultSpan } from "../history/fault-spans.js";
import type {
  EditAcknowledged,
  HandlerStarted,
  HistoryEvent,
  NodeEvent,
  RowChanged,
} from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import type { Execution, TaskHistory } from "../history/task-history.js";

/** When a handler may be called. */
export const startRules = {
  "never-early": neverEarly,
  "claim-not-early": claimNotEarly,
  "one-execution-at-a-time": oneExecutionAtATime,
  "no-start-after-cancel": noStartAfterCancel,
  "acknowledged-edit-kept": acknowledgedEditKept,
} satisfies Rules;

/**
 * [never-early]: no handler starts before the due time of its claim, by the database's clock. Exempt within
 * `clockResampleMs` after a step of that clock, which a node cannot know of before.
 */
function neverEarly({ executions, faults, options }: IndexedRun): Finding[] {
  const steps = faults.filter(({ fault }) => fault.name === "clock-step");
  const isExempt = ({ monoMs }: HandlerStarted): boolean =>
    steps.some((step) => monoMs >= step.beganMonoMs && monoMs <= step.beganMonoMs + options.clockResampleMs);
  return findingsIn(executions, ({ task, starts, claims }) => {
    const dueAtClaim = claims[0]?.after?.dueAt;
    const start = starts.find((each) => each.at < (dueAtClaim ?? each.dueAt) && !isExempt(each));
    if (!start) return null;
    const earlyMs = (dueAtClaim ?? start.dueAt) - start.at;
    return finding(task.id, `a start came ${earlyMs} ms early`, [claims[0] ?? null, start]);
  });
}

/**
 * [never-early]: no claim is taken more than `claimAheadMs` before the due time. SQL decides that by one reading of its
 * clock, so no other clock excuses it; the database's may be stepped between that reading and the commit.
 */
function claimNotEarly({ executions, options }: IndexedRun): Finding[] {
  return findingsIn(executions, ({ task, claims }) => {
    const earlyMs = ({ at, after }: RowChanged): number => after!.dueAt - Math.max(at, after!.claimedAt ?? at);
    const claim = claims.find((each) => earlyMs(each) > options.claimAheadMs);
    return claim ? finding(task.id, `it was claimed ${earlyMs(claim)} ms early`, [claim]) : null;
  });
}

/**
 * [at-least-once]: at most one at a time, unless the superseded one had lost its lease, was timed out or aborted by a
 * drain. A crash ends what ran there. A handler may go on after the commit that ended its task, and so beside the next
 * one where the task is retried. A fail-over that forgot a claim lets the same fence be given again, so the two cannot
 * be told apart by anybody.
 */
function oneExecutionAtATime(known: IndexedRun): Finding[] {
  return known.tasks
    .filter(({ id, executions }) => executions.size > 1 && !known.rewound.has(id))
    .flatMap((task) => overlapsOf(task).filter(([open, start]) => !isExcusedOverlap(known, task, [open, start])))
    .flatMap(([open, start]) => finding(start.taskId, "two executions of the task overlap", [open, start]));
}

type Overlap = [open: HandlerStarted, start: HandlerStarted];

function overlapsOf({ events }: TaskHistory): Overlap[] {
  const overlaps: Overlap[] = [];
  const open = new Map<number, HandlerStarted>();
  for (const event of events) {
    if (event.kind === "ended") open.delete(event.fence);
    if (event.kind !== "started") continue;
    for (const [fence, other] of open) if (fence !== event.fence) overlaps.push([other, event]);
    open.set(event.fence, event);
  }
  return overlaps;
}

function isExcusedOverlap(known: IndexedRun, task: TaskHistory, [open, start]: Overlap): boolean {
  if (hasCrashed(known.faults, open.bootId, start.monoMs)) return true;
  const [superseded, newer] = [open.fence, start.fence]
    .sort((one, other) => one - other)
    .map((fence) => task.executions.get(fence)!);
  return newer!.account !== superseded!.account || isBroken(known, superseded!, start);
}

function hasCrashed(faults: readonly FaultSpan[], bootId: string, byMonoMs: number): boolean {
  return faults.some(
    ({ fault, beganMonoMs }) => fault.name === "crash" && fault.bootId === bootId && beganMonoMs <= byMonoMs,
  );
}

/**
 * Whether a lease break, a time-out or a drain abort of this execution is on record, after it was claimed and by the
 * time of an event.
 */
export function isBroken({ nodeEvents }: IndexedRun, execution: Execution, by: HistoryEvent): boolean {
  const { aborts, claims, starts } = execution;
  const from = claims[0]?.monoMs ?? starts[0]?.monoMs ?? -Infinity;
  const isInTime = ({ monoMs }: HistoryEvent): boolean => monoMs >= from && monoMs <= by.monoMs;
  const bootId = claims[0]?.after?.owner ?? starts[0]?.bootId ?? "";
  return (
    aborts.some(isInTime) || (nodeEvents.get(bootId) ?? []).some((event) => isLeaseBreak(event) && isInTime(event))
  );
}

/** Whether the execution that starts had lost its task before: it is not the one that counts. */
export function hadLostTask(known: IndexedRun, start: HandlerStarted): boolean {
  const execution = known.tasks.find(({ id }) => id === start.taskId)?.executions.get(start.fence);
  return execution !== undefined && isBroken(known, execution, start);
}

/** A node that is paused cannot tell that its lease broke: that it was declared dead tells it too. */
function isLeaseBreak({ kind }: NodeEvent): boolean {
  return kind === "lease-broken" || kind === "declared-dead";
}

/**
 * [cancel-stands]: no start follows what was acknowledged as `cancelled`, unless that execution had lost its task
 * before.
 */
function noStartAfterCancel(known: IndexedRun): Finding[] {
  return known.tasks
    .filter(({ cancels }) => cancels.length > 0)
    .flatMap((task) =>
      cancelledAccounts(task).flatMap(({ cancel, account }) =>
        account.starts
          .filter((start) => task.events.indexOf(start) > task.events.indexOf(cancel))
          .filter((start) => !isBroken(known, task.executions.get(start.fence)!, start))
          .flatMap((start) => finding(task.id, "a start follows an acknowledged cancel", [cancel, start])),
      ),
    );
}

/**
 * [one-order]: an acknowledged reschedule, refresh or edit stands; no later claim sees an older version or an earlier
 * due time of it. The end of an execution gives the row another due time without another version.
 */
function acknowledgedEditKept({ tasks }: IndexedRun): Finding[] {
  return tasks.filter(({ edits }) => edits.length > 0).flatMap(({ events }) => overlookedEdits(events));
}

function overlookedEdits(events: readonly HistoryEvent[]): Finding[] {
  let newest: EditAcknowledged | null = null;
  let dueFrom = -Infinity;
  const findings: Finding[] = [];
  for (const event of events) {
    if (event.kind === "edit-acknowledged" && event.version >= (newest?.version ?? 0)) {
      newest = event;
      dueFrom = event.dueAt;
    }
    if (event.kind !== "row-changed") continue;
    if (event.before?.state === "running") dueFrom = -Infinity;
    if (newest === null || event.before?.state !== "scheduled" || event.after?.state !== "running") continue;
    const { version, dueAt } = event.after;
    if (version > newest.version || (version === newest.version && dueAt >= dueFrom)) continue;
    findings.push(finding(newest.taskId, "a claim did not see an acknowledged change", [newest, event]));
  }
  return findings;
}
