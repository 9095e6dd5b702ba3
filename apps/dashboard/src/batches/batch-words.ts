import type { Batch, BatchCounts, BatchState, TaskState } from "../api/wire.js";
import { formatCount, formatNumberOf } from "../time/format.js";

/** What is told of a batch. Pure: the caller says what time it is, in milliseconds of the epoch. */

/** Its end: this number of characters tells ids apart, while the first ones are a time that many share. */
export function shortIdOf(id: string): string {
  return `…${id.slice(-8)}`;
}

/** Its name, or the end of its id. */
export function batchName({ name, id }: Pick<Batch, "name" | "id">): string {
  return name ?? shortIdOf(id);
}

const marks: Readonly<Record<BatchState, string>> = {
  filling: "scheduled",
  open: "running",
  complete: "succeeded",
  cancelled: "cancelled",
};

/** How it stands: the state whose sign and hue it has, and its word. */
export function batchMark(batch: Pick<Batch, "state" | "overdue" | "counts">): { state: string; text: string } {
  if (batch.state === "complete" && hasLeftovers(batch)) return { state: "expired", text: "leftovers" };
  return { state: marks[batch.state], text: batch.state };
}

/** Members were not done at the deadline, and have not succeeded since. */
export function hasLeftovers({ overdue, counts }: Pick<Batch, "overdue" | "counts">): boolean {
  return overdue && counts.succeeded < counts.total;
}

/** Somebody should look at it: it passed its deadline, and is not done or not all of it succeeded. */
export function needsYou(batch: Pick<Batch, "state" | "overdue" | "counts">): boolean {
  return batch.state !== "cancelled" && hasLeftovers(batch);
}

/** It lives: members of it live, or may still come. */
export function isUnderWay({ state }: Pick<Batch, "state">): boolean {
  return state === "filling" || state === "open";
}

/** Whether its deadline is over while it was not done. */
export function isOverdue(batch: Pick<Batch, "state" | "overdue" | "deadlineAt" | "leftovers">, now: number): boolean {
  const { overdue, deadlineAt, leftovers } = batch;
  const isPast = deadlineAt !== null && Date.parse(deadlineAt) <= now;
  return overdue || (isPast && leftovers === null && isUnderWay(batch));
}

/** The ways in which a member ends, in the order in which they are shown. */
export const ends = ["succeeded", "dead", "cancelled", "expired"] as const satisfies readonly TaskState[];

/** The parts of its bar: what has ended, by how it ended. The rest lives. */
export function progressParts(counts: BatchCounts): { state: string; share: number }[] {
  return ends
    .filter((state) => counts[state] > 0)
    .map((state) => ({ state, share: counts.total === 0 ? 0 : counts[state] / counts.total }));
}

/** `396 succeeded, 4 dead`; of none: `none has ended`. */
export function endsWords(counts: BatchCounts): string {
  const parts = ends.filter((state) => counts[state] > 0).map((state) => `${formatCount(counts[state])} ${state}`);
  return parts.length === 0 ? "none has ended" : parts.join(", ");
}

/** What its bar shows, for who does not see it. */
export function progressLabel(batch: Pick<Batch, "counts" | "progress">): string {
  const { counts } = batch;
  if (counts.total === 0) return "It has no member";
  return `${percentText(batch)} % of ${formatNumberOf(counts.total, "member")} ended: ${endsWords(counts)}`;
}

/**
 * The share that has ended with one digit, `–` for none. A part is never shown as 100, and more than nothing never as
 * 0.
 */
export function percentText({ progress }: Pick<Batch, "progress">): string {
  if (progress === null) return "–";
  const tenths = Math.round(progress * 1_000);
  const shown = progress > 0 && progress < 1 ? Math.min(999, Math.max(1, tenths)) : tenths;
  return String(shown / 10);
}

/** The one sentence: what it waits for, or how it ended. */
export function standingSentence(batch: Batch): string {
  const { state, counts, isStopping } = batch;
  if (state === "cancelled") return cancelledSentence(counts);
  if (state === "complete") return completeSentence(counts);
  if (isStopping) return stoppingSentence(counts.live);
  return state === "filling" ? fillingSentence(counts) : openSentence(batch);
}

function fillingSentence(counts: BatchCounts): string {
  if (counts.total === 0) return "It has no member yet. It is not sealed: members can be added.";
  return `${liveWords(counts)}. It is not sealed yet: members can be added, and it completes only when it is sealed.`;
}

function openSentence({ counts, retryDead, retryingSince, leftovers }: Batch): string {
  const { live, total, dead } = counts;
  const retried = `${formatCount(dead)} dead ${dead === 1 ? "one is" : "ones are"} retried once`;
  if (live > 0) {
    const they = live === 1 ? "when it has ended" : "when they have ended";
    if (retryingSince !== null)
      return `Its dead members are being retried. ${liveWords(counts)}; it completes ${they}.`;
    return `${liveWords(counts)}; it completes ${they}.`;
  }
  if (retryDead && dead > 0 && leftovers === null) return `All have ended; it waits for its deadline: ${retried} then.`;
  if (total === 0) return "It has no member; it completes within moments.";
  return `All ${formatNumberOf(total, "member")} ended; it completes within moments.`;
}

function stoppingSentence(live: number): string {
  if (live === 0) return "It is being stopped; all of its members have ended.";
  const rest = "those that have not started are taken back, the others are asked to stop";
  return `It is being stopped. ${formatNumberOf(live, "member")} ${live === 1 ? "lives" : "live"}: ${rest}.`;
}

function completeSentence(counts: BatchCounts): string {
  const { total, succeeded } = counts;
  if (total === 0) return "It is complete: it was sealed without a member.";
  const all = total === 1 ? "Its one member" : `All ${formatCount(total)} members`;
  if (counts.live > 0) return `It is complete. ${liveWords(counts)} again: a later retry opens nothing.`;
  return succeeded === total ? `${all} succeeded.` : `${all} ended: ${endsWords(counts)}.`;
}

function cancelledSentence(counts: BatchCounts): string {
  const { total, live } = counts;
  if (total === 0) return "It was cancelled before it had a member.";
  const ended = `Of ${formatNumberOf(total, "member")}: ${endsWords(counts)}.`;
  if (live === 0) return `It was cancelled. ${ended}`;
  return `It was cancelled. ${ended} ${formatCount(live)} still ${live === 1 ? "lives and is" : "live and are"} asked to stop.`;
}

/** `2 of 400 members live`. */
function liveWords({ live, total }: BatchCounts): string {
  return `${formatCount(live)} of ${formatNumberOf(total, "member")} ${live === 1 ? "lives" : "live"}`;
}

/** Too little has ended to say anything of the rest. */
const leastEnded = 20;
const minuteMs = 60_000;
const leastElapsedMs = minuteMs;
/** What takes longer is not foreseen. */
const longestMs = 30 * 86_400_000;

/**
 * The minute by which all have ended if it goes on as it did since it was made, in milliseconds of the epoch; null:
 * nothing can be said. Members that are due later are not told apart.
 */
export function expectedEndAt(
  { state, counts: { total, live }, createdAt, isStopping }: Batch,
  now: number,
): number | null {
  const ended = total - live;
  const elapsedMs = now - Date.parse(createdAt);
  if (state !== "open" || isStopping || live === 0) return null;
  if (ended < leastEnded || elapsedMs < leastElapsedMs) return null;
  const leftMs = (elapsedMs * live) / ended;
  return leftMs > longestMs ? null : Math.ceil((now + leftMs) / minuteMs) * minuteMs;
}

/** Why it takes back its members, and who made it. */
export function stopWords({ reason, by }: NonNullable<Batch["stop"]>): string {
  if (reason === "FAIL_FAST") return "Stopped because a member ended dead";
  if (reason === "TOO_MANY_MEMBERS") return "Stopped because its members spawned more than a batch may have";
  return `Cancelled by ${by}`;
}

/** What happens at its deadline, or what was seen then. */
export function deadlineWords({ leftovers, retryDead, state }: Batch): string {
  if (leftovers === null) {
    if (state === "cancelled") return "it was cancelled before anybody looked";
    return retryDead ? "then leftovers are named, and dead ones are retried once" : "then leftovers are named";
  }
  if (leftovers.count === 0) return "every member had succeeded by then";
  return `${formatNumberOf(leftovers.count, "member")} had not succeeded by then`;
}

/** What comes of the task at its end that is not made. */
export function followUpWords(batch: Pick<Batch, "state" | "counts">, end: "complete" | "success"): string {
  const { state, counts } = batch;
  if (state === "cancelled") return "never made: the batch was cancelled";
  if (state === "complete" && (end === "complete" || counts.succeeded === counts.total)) return "about to be made";
  const failed = ends.slice(1).reduce((sum, one) => sum + counts[one], 0);
  if (end === "complete" || failed === 0) return "not made yet";
  return `not made: ${formatCount(failed)} ended otherwise; made as soon as all have succeeded`;
}

interface ListFacts {
  /** There are more than these. */
  readonly isPart: boolean;
  /** Only some of them were asked for. */
  readonly isFiltered: boolean;
}

/** `2 open, 1 filling, 41 ended, 1 of them with leftovers.` */
export function batchesSentence(batches: readonly Batch[], { isPart, isFiltered }: ListFacts): string {
  if (batches.length === 0) return isFiltered ? "No batch matches this filter." : "There is no batch yet.";
  const countOf = (has: (batch: Batch) => boolean): number => batches.filter(has).length;
  const ended = countOf((batch) => !isUnderWay(batch));
  const leftovers = countOf((batch) => !isUnderWay(batch) && needsYou(batch));
  const late = countOf((batch) => isUnderWay(batch) && needsYou(batch));
  const told = [
    ...(["open", "filling"] as const).map((one) => [countOf(({ state }) => state === one), one] as const),
    [ended, "ended"] as const,
  ].flatMap(([count, word]) => (count === 0 ? [] : `${formatCount(count)} ${word}`));
  const parts = [
    ...told,
    ...(leftovers === 0 ? [] : [`${formatCount(leftovers)} of them with leftovers`]),
    ...(late === 0 ? [] : [`${formatCount(late)} past ${late === 1 ? "its" : "their"} deadline`]),
  ];
  const which = isPart ? `Of these ${formatCount(batches.length)}: ` : "";
  return `${which}${parts.join(", ")}.`;
}

/** What a cancel does, which cannot be undone. */
export function cancelQuestion({ counts: { live, total } }: Pick<Batch, "counts">): string {
  const rest = "What has ended stays as it is, and nothing is made at its end. This cannot be undone.";
  if (live === 0) return `None of its ${formatNumberOf(total, "member")} lives. ${rest}`;
  const what = "those that have not started are taken back, those that run are asked to stop";
  return `${formatNumberOf(live, "member")} ${live === 1 ? "lives" : "live"}: ${what}. ${rest}`;
}
