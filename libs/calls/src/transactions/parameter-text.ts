/**
 * A parameter as the text that Postgres reads for it: what `pg` itself sends. A library with types of its own for
 * parameters passes a text on as it is, and the server reads it as the type that the statement says. Null stays null.
 */
export function parameterText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(elementText).join(",")}}`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value as string | number | bigint | boolean);
}

function elementText(value: unknown): string {
  if (Array.isArray(value)) return parameterText(value)!;
  const text = parameterText(value);
  return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
