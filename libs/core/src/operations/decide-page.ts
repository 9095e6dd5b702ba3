import type { UndoOutcome } from "../reports/task-outcomes.js";
import type { EpochMs } from "../task/task.js";
import { type OperationOptions, PACE_PAGES, type PagePace, type PassedCode, type TaskOperation } from "./operation.js";

/** Rounds over tasks that others held, 40, 80 … 640 ms after the one before: with the page itself six tries. */
export const LOCKED_ROUNDS = 5;
const FIRST_ROUND_MS = 40;

/** At most so many locked tasks are remembered for a further round; more are passed at once. */
export const MOST_LOCKED = 5_000;

/** A verdict is about so many of the tasks that were changed last … */
export const FAILING_OF_LAST = 200;
/** … of which so many have ended an attempt since. */
export const FAILING_AT_LEAST = 20;

/** Where the pages of an operation stand. `round` 0: pages go along the ids. From 1 on: those that were locked. */
export interface PagePlace {
  round: number;
  lockedIds: readonly string[];
}

/** The tasks of one page of a round. */
export interface RoundPart {
  ids: readonly string[];
  /** The locked ones of other pages: those that the round has tried, and those that it has not. */
  later: readonly string[];
  /** The round goes on below this id; null: it is over. */
  below: string | null;
}

/** What one page of the act has done. */
export interface MadePage {
  changed: number;
  /** Those that were neither changed nor are locked. */
  passed: Partial<Record<PassedCode, number>>;
  /** They still fit, and others hold them. In a round also those that the page has not tried. */
  lockedIds: readonly string[];
  /** Whether no further task is to be found below. In a round: whether all were tried. */
  isLast: boolean;
  /** Whether it has found another task, more than it may change. */
  isMore: boolean;
  /** How long the page took, in milliseconds. */
  tookMs: number;
}

/** What stands in the row behind a page. */
export interface AfterPage extends PagePlace {
  /** When the next page may be made, in milliseconds from now. */
  restMs: number;
  /** `running`: further pages follow. */
  ends: "running" | "done" | "stopped";
  passed: Partial<Record<PassedCode, number>>;
}

/**
 * How many tasks the next page may change. For a paced operation: what its rate gives in a second, at least 1. 0: it
 * has changed as many as it may, and only looks whether more are there.
 */
export function pageSizeOf({ options, changed }: Pick<TaskOperation, "options" | "changed">, pageSize: number): number {
  const { rate, atMost } = options;
  const paced = rate === null ? pageSize : Math.ceil(rate);
  return Math.min(pageSize, paced, atMost - changed);
}

/** The next so many tasks of a round, the highest ids first: each is tried once in a round. */
export function partOfRound(
  { lockedIds, below }: Pick<PagePlace, "lockedIds"> & { below: string | null },
  size: number,
): RoundPart {
  const open = lockedIds.filter((id) => below === null || id < below).sort((one, other) => (one < other ? 1 : -1));
  const ids = open.slice(0, size);
  const tried = new Set(ids);
  return {
    ids,
    later: lockedIds.filter((id) => !tried.has(id)),
    below: open.length > size ? (ids.at(-1) ?? below) : null,
  };
}

/**
 * What follows from a page of the act. An operation without a rate rests as long as its page took; the time of a paced
 * one's page is part of its pace. It is stopped by its bound only if more tasks fit.
 */
export function afterPage(
  { options, changed }: Pick<TaskOperation, "options" | "changed">,
  place: PagePlace,
  made: MadePage,
): AfterPage {
  const { round, lockedIds, givenUp, isOver } = afterTries(place, made);
  const passed = withLocked(made.passed, givenUp);
  if (isOver) return { round, lockedIds, restMs: 0, ends: "done", passed };
  const isFull = changed + made.changed >= options.atMost;
  const isStopped = isFull && (made.isMore || lockedIds.length > 0);
  const paceMs = options.rate === null ? made.tookMs : Math.max(0, (made.changed / options.rate) * 1_000 - made.tookMs);
  const restMs = Math.max(paceMs, made.isLast ? roundMs(round) : 0);
  return { round, lockedIds, restMs, ends: isStopped ? "stopped" : "running", passed };
}

/** Where a round stands behind a page, and the tasks that are not tried again. */
interface AfterTries extends PagePlace {
  givenUp: readonly string[];
  /** Whether no page follows. */
  isOver: boolean;
}

function afterTries(place: PagePlace, made: Pick<MadePage, "lockedIds" | "isLast">): AfterTries {
  const all = place.round > 0 ? made.lockedIds : [...place.lockedIds, ...made.lockedIds];
  const kept = all.slice(0, MOST_LOCKED);
  const round = made.isLast && kept.length > 0 ? place.round + 1 : place.round;
  const isOver = made.isLast && (kept.length === 0 || round > LOCKED_ROUNDS);
  return { round, isOver, lockedIds: isOver ? [] : kept, givenUp: isOver ? all : all.slice(MOST_LOCKED) };
}

function withLocked<Code extends string>(
  counts: Partial<Record<Code | "LOCKED", number>>,
  givenUp: readonly string[],
): Partial<Record<Code | "LOCKED", number>> {
  return givenUp.length === 0 ? counts : added<Code | "LOCKED">(counts, { LOCKED: givenUp.length } as typeof counts);
}

/** How long others have until a round begins. */
function roundMs(round: number): number {
  return FIRST_ROUND_MS * 2 ** (round - 1);
}

/** What one page of the undo has done. */
export interface UndonePage {
  undone: number;
  /** Those with any other outcome than `UNDONE`, but for locked ones. */
  left: Partial<Record<UndoOutcome, number>>;
  /** Others hold them. In a round also those that the page has not tried. */
  lockedIds: readonly string[];
  /** Whether no remembered task follows. In a round: whether all were tried. */
  isLast: boolean;
  tookMs: number;
}

export interface AfterUndo extends PagePlace {
  restMs: number;
  ends: "undoing" | "undone";
  left: Partial<Record<UndoOutcome, number>>;
  /** They stay as they are: others held them for too long, or too many are held. */
  givenUp: readonly string[];
}

/** What follows from a page of the undo. Locked tasks come again in rounds, as of the act. */
export function afterUndo(place: PagePlace, made: UndonePage): AfterUndo {
  const { round, lockedIds, givenUp, isOver } = afterTries(place, made);
  const left = withLocked(made.left, givenUp);
  if (isOver) return { round, lockedIds, givenUp, left, restMs: 0, ends: "undone" };
  const restMs = Math.max(made.tookMs, made.isLast ? roundMs(round) : 0);
  return { round, lockedIds, givenUp, left, restMs, ends: "undoing" };
}

/** Whether a paced operation stops, by what became of the tasks that it changed last. */
export function isFailing(
  { stopWhenFailing }: Pick<OperationOptions, "stopWhenFailing">,
  { ended, failed }: { ended: number; failed: number },
): boolean {
  return stopWhenFailing !== null && ended >= FAILING_AT_LEAST && failed / ended >= stopWhenFailing;
}

/** Two counts by code as one. */
export function added<Code extends string>(
  one: Partial<Record<Code, number>>,
  other: Partial<Record<Code, number>>,
): Partial<Record<Code, number>> {
  const sum = { ...one };
  for (const [code, count] of Object.entries(other) as [Code, number][]) sum[code] = (sum[code] ?? 0) + count;
  return sum;
}

/** The pace that is remembered behind a page. */
export function withPace(recent: readonly PagePace[], page: PagePace): PagePace[] {
  return [...recent, page].slice(-PACE_PAGES);
}

/** Tasks a second over the remembered pages; null: there are fewer than two. */
export function paceOf({ recent }: Pick<TaskOperation, "recent">): number | null {
  const first = recent[0];
  const last = recent.at(-1);
  if (first === undefined || last === undefined || last.at <= first.at) return null;
  const changed = recent.slice(1).reduce((sum, page) => sum + page.changed, 0);
  return (changed * 1_000) / (last.at - first.at);
}

/** About when an open operation will be over, at its pace; null: nobody knows. */
export function endsAbout(operation: TaskOperation, now: EpochMs): EpochMs | null {
  const { state, heldAt, estimate, changed, undone, leftBehind } = operation;
  const pace = paceOf(operation);
  if (heldAt !== null || pace === null || pace === 0) return null;
  const { WITHOUT_RESULT: _undone, ...others } = leftBehind;
  const left = Object.values(others).reduce((sum, count) => sum + count, 0);
  const open = state === "undoing" ? changed - undone - left : estimate === null ? null : estimate - changed;
  if (open === null || (state !== "running" && state !== "undoing")) return null;
  return now + Math.max(0, Math.round((open * 1_000) / pace));
}
