/**
 * An array parameter whose elements need no quotes: numbers, uuids, 64-bit integers as text. The driver makes the same
 * of a list, but it searches each element for characters to escape, which was a quarter of a create's cost in this
 * process. Most columns of a batch have the same value in each row: it is converted once.
 *
 * @example plainArray(tasks, (task) => task.priority) // "{5,5,0}"
 */
export function plainArray<Item>(items: readonly Item[], valueOf: (item: Item) => number | string | null): string {
  if (items.length === 0) return "{}";
  const first = valueOf(items[0]!);
  let alike = 1;
  while (alike < items.length && valueOf(items[alike]!) === first) alike++;
  let text = `${first ?? "NULL"}`;
  text += `,${text}`.repeat(alike - 1);
  for (let at = alike; at < items.length; at++) text += `,${valueOf(items[at]!) ?? "NULL"}`;
  return `{${text}}`;
}

const BREAKS = /[\t\n\r]/;

/**
 * An array parameter of texts that are JSON, or null. An array and a JSON string must escape the same characters, so
 * the engine's `JSON.stringify` does it. The exception is line breaks and tabs between JSON values: Postgres does not
 * read the escapes that `JSON.stringify` makes of them.
 *
 * @example jsonArray(['{"a":1}', null], (text) => text) // '{"{\\"a\\":1}",NULL}'
 */
export function jsonArray<Item>(items: readonly Item[], textOf: (item: Item) => string | null): string {
  return plainArray(items, (item) => {
    const text = textOf(item);
    if (text === null) return null;
    return BREAKS.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : JSON.stringify(text);
  });
}

/**
 * An array of texts, as Postgres reads it from text. Lists of unequal length are no array of arrays, so each row's list
 * is sent as such a text.
 *
 * @example textArray(["a", 'b "c"']) // '{"a","b \\"c\\""}'
 */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
