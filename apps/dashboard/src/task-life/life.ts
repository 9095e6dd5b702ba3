import type { Task } from "../api/wire.js";
import { formatDuration } from "../time/format.js";
import { dueOf, latenessOf, markOfEnd, type Run } from "./runs.js";

/** The life of a task as it is drawn. Pure. All instants in milliseconds of the epoch. */

/** One of the points of a life, in their order. */
export interface Stage {
  readonly name: string;
  /** Null: it has not come. */
  readonly at: number | null;
  /** Counted from the due time: drawn as `+7,505 ms`; false: drawn as an instant. */
  readonly isAfterDue: boolean;
  readonly note: string;
  /** The mark of a state: its hue. */
  readonly mark: string;
}

/** A stretch of a lane, in shares of the drawn time. */
export interface Segment {
  readonly from: number;
  readonly share: number;
  readonly mark: string;
  readonly look: "solid" | "hatch" | "plain";
  readonly text: string;
}

/** An instant on a lane. */
export interface Flag {
  readonly at: number;
  readonly mark: string;
  readonly text: string;
}

/** What one node had of the task. */
export interface Lane {
  readonly who: string;
  readonly segments: readonly Segment[];
  readonly flags: readonly Flag[];
}

export interface Life {
  readonly stages: readonly Stage[];
  readonly lanes: readonly Lane[];
  /** Instants under the lanes, in shares of the drawn time. */
  readonly axis: readonly { readonly at: number; readonly text: string }[];
  /** All of it as a sentence. */
  readonly label: string;
}

/** How many runs are drawn, the latest; the attempts below tell of all. */
export const drawnRuns = 12;

interface Stretch {
  who: string;
  from: number;
  to: number;
  mark: string;
  look: Segment["look"];
  text: string;
}
interface Moment {
  who: string;
  at: number;
  mark: string;
  text: string;
}

/**
 * @param task as it is now
 * @param all its runs, oldest first
 */
export function lifeOf(task: Task, all: readonly Run[], now: number): Life {
  const runs = all.slice(-drawnRuns);
  const isFirstDrawn = runs.length === all.length;
  const dues = runs.map((run, index) => dueOf(run, task, isFirstDrawn && index === 0));
  const taskDueAt = Date.parse(task.dueAt ?? task.scheduledAt);
  const begin = dues[0] ?? taskDueAt;
  const { stretches, moments } = drawn({ task, runs, dues, now, taskDueAt });
  const end = Math.max(begin + 1, ...stretches.map(({ to }) => to), ...moments.map(({ at }) => at));
  const scale = (at: number): number => Math.min(1, Math.max(0, (at - begin) / (end - begin)));
  const lanes = lanesOf(stretches, moments, scale);
  return {
    stages: stagesOf(task, runs, { begin, now }),
    lanes,
    axis: stretches.length === 0 ? [] : axisOf(begin, end),
    label: labelOf(lanes, begin, end),
  };
}

interface Drawing {
  task: Task;
  runs: readonly Run[];
  dues: readonly number[];
  now: number;
  taskDueAt: number;
}

function drawn({ task, runs, dues, now, taskDueAt }: Drawing): { stretches: Stretch[]; moments: Moment[] } {
  const stretches: Stretch[] = [];
  const moments: Moment[] = [];
  for (const [index, run] of runs.entries()) {
    addRun({ stretches, moments }, run, { dueAt: dues[index]!, now });
    const nextDueAt = dues[index + 1] ?? (task.state === "scheduled" ? taskDueAt : null);
    if (nextDueAt === null || run.endedAt === null || nextDueAt <= run.endedAt) continue;
    const waits = { who: nameOf(run.node), from: run.endedAt, to: Math.min(nextDueAt, Math.max(now, run.endedAt)) };
    const text = `waits for its next run, ${formatDuration(nextDueAt - run.endedAt)}`;
    stretches.push({ ...waits, mark: markOfEnd(run.end), look: "hatch", text });
  }
  if (task.state === "scheduled" && taskDueAt < now) {
    const text = `overdue, ${formatDuration(now - taskDueAt)} so far`;
    stretches.push({ who: waiterOf(task), from: taskDueAt, to: now, mark: "overdue", look: "hatch", text });
  }
  return { stretches, moments };
}

function addRun(
  { stretches, moments }: { stretches: Stretch[]; moments: Moment[] },
  run: Run,
  { dueAt, now }: { dueAt: number; now: number },
): void {
  const who = nameOf(run.node);
  const startedAt = run.startedAt ?? run.claimedAt;
  const takenFrom = run.parts?.takenFrom ?? null;
  const takenAt = takenFrom && Math.min(startedAt, Math.max(dueAt, Date.parse(takenFrom.takenOverAt)));
  if (takenFrom && takenAt !== null) {
    const silent = takenFrom.silentSince === null ? "slow or gone" : "silent";
    const text = `${silent} ${formatDuration(takenAt - dueAt)}`;
    stretches.push({ who: takenFrom.node, from: dueAt, to: takenAt, mark: "overdue", look: "hatch", text });
    moments.push({ who: takenFrom.node, at: takenAt, mark: "dead", text: `taken over by ${who}` });
  }
  const waitsFrom = takenAt ?? dueAt;
  if (startedAt > waitsFrom) {
    const text = `until its start, ${formatDuration(startedAt - waitsFrom)}`;
    stretches.push({ who, from: waitsFrom, to: startedAt, mark: "overdue", look: "plain", text });
  }
  const endedAt = run.endedAt ?? now;
  const name = run.attempt > 0 ? `attempt ${run.attempt}` : "run";
  const text = `${name}, ${formatDuration(endedAt - startedAt)}`;
  stretches.push({ who, from: startedAt, to: endedAt, mark: "running", look: "solid", text });
  if (run.endedAt !== null) moments.push({ who, at: run.endedAt, mark: markOfEnd(run.end), text: run.end });
}

function lanesOf(stretches: readonly Stretch[], moments: readonly Moment[], scale: (at: number) => number): Lane[] {
  const names = [...new Set([...stretches, ...moments].map(({ who }) => who))];
  return names.map((who) => ({
    who,
    segments: stretches
      .filter((one) => one.who === who)
      .map(({ from, to, mark, look, text }) => ({
        from: scale(from),
        share: scale(to) - scale(from),
        mark,
        look,
        text,
      })),
    flags: moments.filter((one) => one.who === who).map(({ at, mark, text }) => ({ at: scale(at), mark, text })),
  }));
}

function axisOf(begin: number, end: number): Life["axis"] {
  return [
    { at: 0, text: "due" },
    { at: 0.5, text: `+${formatDuration((end - begin) / 2)}` },
    { at: 1, text: `+${formatDuration(end - begin)}` },
  ];
}

function labelOf(lanes: readonly Lane[], begin: number, end: number): string {
  if (lanes.length === 0) return "Nothing has happened since its due time.";
  const told = lanes.map(({ who, segments }) => `${who}: ${segments.map(({ text }) => text).join(", ")}`);
  return `From its due time on, ${formatDuration(end - begin)} in all. ${told.join(". ")}.`;
}

function stagesOf(task: Task, runs: readonly Run[], { begin, now }: { begin: number; now: number }): Stage[] {
  const createdAt = Date.parse(task.createdAt);
  const first = runs[0];
  const last = runs.at(-1);
  const isOver = task.finishedAt !== null;
  const knownAt =
    first?.parts && first.startedAt !== null ? knownAtOf(first.parts.knownMs, first.startedAt, first.parts) : null;
  const late = (at: number | null): string => (at !== null && at - begin >= 100 ? "overdue" : "scheduled");
  return [
    { name: "Created", at: createdAt, isAfterDue: false, note: aheadOf(begin - createdAt), mark: "scheduled" },
    { name: "Due", at: begin, isAfterDue: false, note: dueNote(task, begin, now), mark: "scheduled" },
    { name: "Known to a node", at: knownAt, isAfterDue: true, note: knownNote(first), mark: late(knownAt) },
    {
      name: "Claimed",
      at: first?.claimedAt ?? null,
      isAfterDue: true,
      note: first ? `fence ${first.fence}` : "not claimed",
      mark: late(first?.claimedAt ?? null),
    },
    {
      name: "Started",
      at: first?.startedAt ?? null,
      isAfterDue: true,
      note: first ? startNote(first) : "not started",
      mark: first ? "running" : "scheduled",
    },
    {
      name: isOver ? "Ended" : "Now",
      at: isOver ? Date.parse(task.finishedAt!) : now,
      isAfterDue: true,
      note: isOver ? endNote(task, last) : task.state,
      mark: isOver ? task.state : "scheduled",
    },
  ];
}

function knownAtOf(knownMs: number, startedAt: number, parts: NonNullable<Run["parts"]>): number {
  return startedAt - latenessOf(parts) + knownMs;
}

function aheadOf(ms: number): string {
  return ms > 0 ? `${formatDuration(ms)} ahead` : "due at once";
}

function dueNote(task: Task, begin: number, now: number): string {
  if (task.state === "paused") return "paused";
  return begin > now && task.startedAt === null
    ? "not yet"
    : task.scheduledAt === task.dueAt
      ? "as asked for"
      : "first try";
}

function knownNote(first: Run | undefined): string {
  if (!first) return "no run so far";
  if (!first.parts) return "not measured";
  if (first.parts.takenFrom) return `by ${nameOf(first.node)}, taken over`;
  return first.parts.knownMs === 0 ? `in time, in ${nameOf(first.node)}'s wheel` : `by ${nameOf(first.node)}`;
}

function startNote(first: Run): string {
  return first.startedAt === null ? (first.end === "running" ? "it runs" : "not known") : "first run";
}

function endNote(task: Task, last: Run | undefined): string {
  return last && last.attempt > 1 ? `attempt ${last.attempt}` : task.state;
}

const nameOf = (node: string | null): string => node ?? "unknown node";
const waiterOf = (task: Task): string => (task.waitingFor === "HANDLER" ? "no node" : (task.node ?? "waiting"));
