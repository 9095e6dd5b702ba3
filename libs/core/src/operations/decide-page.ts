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

/** Where the pages of an operation stand. `round` 0: pages go down the ids. From 1 on: those that were locked. */
export interface PagePlace {
  round: number;
  lockedIds: readonly string[];
}

/** What one page of the act has done. */
export interface MadePage {
  changed: number;
  /** Those that were neither changed nor are locked. */
  passed: Partial<Record<PassedCode, number>>;
  /** They still fit, and others hold them. */
  lockedIds: readonly string[];
  /** Whether no further task is to be found below. In a round: always. */
  isLast: boolean;
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

/** How many tasks the next page may change; at least 1. Of a paced operation: what its rate gives in a second. */
export function pageSizeOf({ options, changed }: Pick<TaskOperation, "options" | "changed">, pageSize: number): number {
  const { rate, atMost } = options;
  const paced = rate === null ? pageSize : Math.ceil(rate);
  return Math.max(1, Math.min(pageSize, paced, atMost - changed));
}

/** What follows from a page of the act. An operation without a rate rests as long as its page took. */
export function afterPage(
  { options, changed }: Pick<TaskOperation, "options" | "changed">,
  place: PagePlace,
  made: MadePage,
): AfterPage {
  const isRound = place.round > 0;
  const all = isRound ? made.lockedIds : [...place.lockedIds, ...made.lockedIds];
  const lockedIds = all.slice(0, MOST_LOCKED);
  const round = made.isLast && lockedIds.length > 0 ? place.round + 1 : place.round;
  const isOver = made.isLast && (lockedIds.length === 0 || round > LOCKED_ROUNDS);
  const left = (isOver ? all.length : all.length - lockedIds.length) || undefined;
  const passed = left === undefined ? made.passed : added(made.passed, { LOCKED: left });
  if (isOver) return { round, lockedIds: [], restMs: 0, ends: "done", passed };
  const isFull = changed + made.changed >= options.atMost;
  return { round, lockedIds, restMs: restOf(options, round, made), ends: isFull ? "stopped" : "running", passed };
}

function restOf({ rate }: OperationOptions, round: number, { changed, tookMs }: MadePage): number {
  const paceMs = rate === null ? tookMs : (changed / rate) * 1_000;
  return Math.max(paceMs, round === 0 ? 0 : roundMs(round));
}

function roundMs(round: number): number {
  return FIRST_ROUND_MS * 2 ** (round - 1);
}

/** What one page of the undo has done. */
export interface UndonePage {
  undone: number;
  /** Those with any other outcome than `UNDONE`, but for locked ones. */
  left: Partial<Record<UndoOutcome, number>>;
  /** How many are left that others hold, once the last page of a round was made; before: unknown, 0. */
  locked: number;
  /** Whether no remembered task follows that the round has not seen. */
  isLast: boolean;
  tookMs: number;
}

export interface AfterUndo {
  round: number;
  restMs: number;
  ends: "undoing" | "undone";
  left: Partial<Record<UndoOutcome, number>>;
}

/** What follows from a page of the undo. What is locked comes again from the first remembered task on. */
export function afterUndo({ round: before }: Pick<PagePlace, "round">, made: UndonePage): AfterUndo {
  if (!made.isLast) return { round: before, restMs: made.tookMs, ends: "undoing", left: made.left };
  const round = made.locked > 0 ? before + 1 : before;
  if (made.locked === 0) return { round, restMs: 0, ends: "undone", left: made.left };
  if (round > LOCKED_ROUNDS)
    return { round, restMs: 0, ends: "undone", left: added(made.left, { LOCKED: made.locked }) };
  return { round, restMs: Math.max(made.tookMs, roundMs(round)), ends: "undoing", left: made.left };
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
  const [first, last] = [recent[0], recent.at(-1)];
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
