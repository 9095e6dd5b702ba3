/**
 * An array parameter whose elements need no quotes: numbers, uuids, 64-bit integers as text. The driver makes the same
 * of a list, but looks through each element for what must be escaped, which was a quarter of what a create costs this
 * process. Most columns of a batch have one value: it is written once.
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
 * An array parameter of texts that are JSON, or null. What an array must escape is what a string in JSON must, and the
 * engine's own code does it; but the line breaks and tabs that JSON may have between its values are no letters with a
 * backslash to Postgres.
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
