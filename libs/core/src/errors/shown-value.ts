const DEEPEST = 4;
const MOST_ENTRIES = 30;
const LONGEST_TEXT = 500;
const LONGEST_VALUE = 2_000;
const LEFT_OUT = "…";

/**
 * A value that is somebody else's as JSON for people, within bounds: four levels, 30 entries of each, 500 characters of
 * a text, 2,000 in all; what is left out is `…`. Null where it has no JSON, or its JSON says nothing. Never throws, and
 * calls nothing of the value's but its getters.
 *
 * @param without names of the value's own properties that are not shown
 * @example shownValue({ status: 500 }) // '{"status":500}'
 */
export function shownValue(value: object, without: readonly string[] = []): string | null {
  try {
    const copy = copyOf(value, { depth: 0, left: { entries: 200 } });
    for (const name of without) delete (copy as Record<string, unknown>)[name];
    const shown = JSON.stringify(copy);
    if (shown === undefined || shown === "{}" || shown === "[]") return null;
    return shown.length > LONGEST_VALUE ? shown.slice(0, LONGEST_VALUE) + LEFT_OUT : shown;
  } catch {
    return null;
  }
}

/** Where the walk is; `left` is of the whole value. */
interface Place {
  depth: number;
  left: { entries: number };
}

/** A plain copy, so that `toJSON` is nobody's but ours. */
function copyOf(value: unknown, place: Place): unknown {
  if (typeof value === "string") return value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) + LEFT_OUT : value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value !== "object") return undefined;
  if (place.depth === DEEPEST || ArrayBuffer.isView(value)) return LEFT_OUT;
  if (value instanceof Date) return String(value.getTime() >= 0 ? value.toISOString() : value.getTime());
  const next = { depth: place.depth + 1, left: place.left };
  return Array.isArray(value) ? copyOfList(value, next) : copyOfObject(value as Record<string, unknown>, next);
}

function copyOfList(list: readonly unknown[], place: Place): unknown[] {
  const copies: unknown[] = [];
  for (let at = 0; at < list.length; at++) {
    if (at === MOST_ENTRIES || place.left.entries-- <= 0) return [...copies, LEFT_OUT];
    copies.push(readOf(() => list[at], place));
  }
  return copies;
}

function copyOfObject(object: Record<string, unknown>, place: Place): Record<string, unknown> {
  const copies = new Map<string, unknown>();
  for (const name of Object.keys(object)) {
    if (copies.size === MOST_ENTRIES || place.left.entries-- <= 0) {
      copies.set(LEFT_OUT, LEFT_OUT);
      break;
    }
    copies.set(
      name.slice(0, LONGEST_TEXT),
      readOf(() => object[name], place),
    );
  }
  copies.delete("toJSON");
  return Object.fromEntries(copies);
}

/** A property that throws is absent, and the others are not. */
function readOf(read: () => unknown, place: Place): unknown {
  try {
    return copyOf(read(), place);
  } catch {
    return undefined;
  }
}
