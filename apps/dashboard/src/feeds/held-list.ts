import type { Answer } from "../api/api-client.js";
import type { Problem } from "../api/problem.js";

export interface Identified {
  readonly id: string;
}

/** One page of a list that is read again and again: its rows keep their places until somebody asks for another look. */
export interface HeldList<Row> {
  /** Null: nothing was read yet. */
  readonly rows: readonly Row[] | null;
  /** Where the page behind these rows begins; null: there is none. */
  readonly nextCursor: string | null;
  /** The look ended before the page was full; it goes on at the cursor. */
  readonly isIncomplete: boolean;
  /** How many rows have come into the page since; they are not among `rows`. */
  readonly newer: number;
  /** Ids of rows that the page has no more; they are shown as they were last. */
  readonly gone: ReadonlySet<string>;
  /** Milliseconds of the epoch. */
  readonly readAt: number | null;
  /** Null if the last answer was good. */
  readonly problem: Problem | null;
  /** The next answer may put its rows wherever they belong. */
  readonly isLoose: boolean;
  /** Grows with each such answer: what was derived from the order of the rows is derived anew. */
  readonly edition: number;
}

interface Page<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
  readonly incomplete?: boolean;
}

export const emptyList: HeldList<never> = {
  rows: null,
  nextCursor: null,
  isIncomplete: false,
  newer: 0,
  gone: new Set(),
  readAt: null,
  problem: null,
  isLoose: true,
  edition: 0,
};

/**
 * The list after one more answer. Rows change in place; what came is counted, what left stays where it was. A failure
 * keeps all, but a refusal (403, 404) ends what the list said.
 */
export function listAfter<Row extends Identified>(
  list: HeldList<Row>,
  answer: Answer<Page<Row>>,
  now: number,
): HeldList<Row> {
  if (!answer.ok) {
    const { problem } = answer;
    const isRefusal = problem.status === 403 || problem.status === 404;
    return isRefusal ? { ...emptyList, problem } : { ...list, problem };
  }
  const held = list.rows ?? [];
  const isNew = list.isLoose || held.length === 0;
  const known = { readAt: now, problem: null, isLoose: false };
  if (!isNew) return { ...list, ...known, ...inPlace(held, answer.value, list.nextCursor) };
  const { items, nextCursor, incomplete: isIncomplete = false } = answer.value;
  return { ...known, rows: items, nextCursor, isIncomplete, newer: 0, gone: new Set(), edition: list.edition + 1 };
}

function inPlace<Row extends Identified>(held: readonly Row[], page: Page<Row>, heldCursor: string | null) {
  const read = new Map(page.items.map((row) => [row.id, row]));
  const shown = new Set(held.map(({ id }) => id));
  const last = held.findLastIndex(({ id }) => read.has(id));
  // Rows above may have pushed others off the page: what lies behind the last row that is still on it may be there.
  const isGone = ({ id }: Row, index: number): boolean =>
    !read.has(id) && (page.nextCursor === null || index < last || last === -1);
  const isSameEnd = page.items.at(-1)?.id === held.at(-1)?.id;
  return {
    rows: held.map((row) => read.get(row.id) ?? row),
    newer: page.items.filter(({ id }) => !shown.has(id)).length,
    gone: new Set(held.filter(isGone).map(({ id }) => id)),
    nextCursor: isSameEnd ? page.nextCursor : heldCursor,
  };
}

/** What to say of a list that may be long, whose rows come and go by themselves; null: it is as it is shown. */
export function newerWords({ newer, gone }: Pick<HeldList<unknown>, "newer" | "gone">): string | null {
  const left = `${gone.size} ${gone.size === 1 ? "has" : "have"} left`;
  if (newer === 0) return gone.size === 0 ? null : `${left}: show the list as it is`;
  return `${newer} newer${gone.size === 0 ? "" : `, ${left}`}: show them`;
}

/** What to say of a list that is not as it is shown; null: it is. */
export function changeWords({ newer, gone }: Pick<HeldList<unknown>, "newer" | "gone">): string | null {
  const parts = [newer > 0 && `${newer} came`, gone.size > 0 && `${gone.size} left`].filter((part) => part !== false);
  return parts.length === 0 ? null : `${parts.join(", ")}: show the list as it is`;
}
