/** What newer engines add to JSON: the source text of a number, and a value that prints as given. */
interface RawJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?(source: string): unknown;
}

const raw = JSON as RawJson;

/**
 * Parses JSON. A number that JavaScript would print otherwise becomes a value that `JSON.stringify` prints as it came,
 * so that a payload's numbers are shown and sent on unchanged; an engine without `JSON.rawJSON` rounds them as
 * `JSON.parse` does.
 *
 * @throws SyntaxError when `text` is not JSON
 */
export function parseJson(text: string): unknown {
  return raw.parse(text, (_key, value, context) => {
    const source = typeof value === "number" ? context?.source : undefined;
    return source !== undefined && source !== String(value) && raw.rawJSON ? raw.rawJSON(source) : value;
  });
}

/** `value` as indented JSON; a value that is absent prints as `null`. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2);
}
