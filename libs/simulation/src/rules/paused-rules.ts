import type { HistoryEvent, PauseAcknowledged } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import type { TaskHistory } from "../history/task-history.js";
import { isBroken } from "./start-rules.js";

/** A countdown never runs while its task is paused. */
export const pausedRules = { "paused-stands-still": pausedStandsStill } satisfies Rules;

/**
 * [paused-stands-still]: no start follows an acknowledged pause until the task is resumed, unless that execution had
 * lost its task before; and a resumed task waits for all that remained of its countdown.
 */
function pausedStandsStill(known: IndexedRun): Finding[] {
  return [...startedWhilePaused(known), ...countedOn(known)];
}

function startedWhilePaused(known: IndexedRun): Finding[] {
  return known.tasks
    .filter(({ id, events }) => !known.rewound.has(id) && events.some(isPause))
    .flatMap((task) => startsAfterPause(known, task));
}

function startsAfterPause(known: IndexedRun, { id, events, executions }: TaskHistory): Finding[] {
  let [paused, version]: [PauseAcknowledged | null, number] = [null, 0];
  const findings: Finding[] = [];
  for (const event of events) {
    // The caller may have been told late, when the task was resumed already.
    if (isPause(event) && event.version >= version) paused = event;
    if (event.kind === "row-changed" && event.after !== null) {
      ({ version } = event.after);
      if (event.after.state !== "paused") paused = null;
    }
    if (event.kind === "started" && paused && !isBroken(known, executions.get(event.fence)!, event))
      findings.push(finding(id, "a start follows an acknowledged pause", [paused, event]));
  }
  return findings;
}

function isPause(event: HistoryEvent): event is PauseAcknowledged {
  return event.kind === "pause-acknowledged";
}

const RESUMES: readonly string[] = ["resume", "settings.resumeEndedKeys"];

/** What was due when it was paused has nothing left, and is due at once. */
function countedOn({ moves }: IndexedRun): Finding[] {
  return findingsIn(moves, (move) => {
    const { before, after, statement } = move;
    if (!RESUMES.includes(statement) || before.pausedAt === null) return null;
    const resumedAt = before.pausedAt + after.pausedMs - before.pausedMs;
    const dueAt = resumedAt + Math.max(0, before.dueAt - before.pausedAt);
    if (after.dueAt === dueAt) return null;
    return finding(after.id, `it is due ${dueAt - after.dueAt} ms before the end of its countdown`, [move]);
  });
}
