/** A value of a term. In quotation marks nothing in it has a meaning of its own. */
export interface LineItem {
  text: string;
  isQuoted: boolean;
}

/** Where something stands in a line, in characters; `to` exclusive. */
export interface LinePlace {
  from: number;
  to: number;
}

/** A part of a line between spaces, as `-tag:vip,"a b"`. */
export interface LineTerm extends LinePlace {
  isNegated: boolean;
  /** Null: it has no field before a colon, and its text is the first item. */
  word: string | null;
  items: readonly LineItem[];
  /** Why its values cannot be read; absent: they can. */
  fault?: string;
}

const SPACES = /\s*/y;
const HEAD = /(-?)([^\s:",]*):/y;
const QUOTED = /"((?:[^"\\]|\\[^])*)"/y;
const BARE = /[^\s,]*/y;
const REST = /\S*/y;
const NEEDS_QUOTES = /[\s,"\\\p{Cc}\p{Cf}]/u;

/** The terms of a line, from the first to the last. Never throws. */
export function* termsOf(line: string): Generator<LineTerm> {
  let at = endOf(SPACES, line, 0);
  while (at < line.length) {
    const term = termAt(line, at);
    yield term;
    at = endOf(SPACES, line, term.to);
  }
}

function termAt(line: string, from: number): LineTerm {
  HEAD.lastIndex = from;
  const head = HEAD.exec(line);
  if (head) return { from, isNegated: head[1] === "-", word: head[2]!, ...valuesAt(line, from + head[0].length) };
  const to = endOf(REST, line, from);
  return { from, to, isNegated: false, word: null, items: [{ text: line.slice(from, to), isQuoted: false }] };
}

function valuesAt(line: string, start: number): Pick<LineTerm, "to" | "items" | "fault"> {
  const items: LineItem[] = [];
  for (let at = start; ; at++) {
    const isQuoted = line[at] === '"';
    QUOTED.lastIndex = at;
    const quoted = isQuoted ? QUOTED.exec(line) : null;
    if (isQuoted && quoted === null)
      return { to: line.length, items, fault: "has a quotation mark that is never closed" };
    const end = quoted ? at + quoted[0].length : endOf(BARE, line, at);
    items.push({ text: quoted ? quoted[1]!.replaceAll(/\\([^])/g, "$1") : line.slice(at, end), isQuoted });
    if (line[end] !== ",") {
      const to = endOf(REST, line, end);
      return to === end ? { to, items } : { to, items, fault: "goes on behind its quotation marks" };
    }
    at = end;
  }
}

function endOf(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(line)?.[0].length ?? 0);
}

/** Whether a text stands for itself in a line without quotation marks. */
export function isBare(text: string): boolean {
  return text !== "" && !NEEDS_QUOTES.test(text);
}

/** A text as an item that is read as just this text. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
