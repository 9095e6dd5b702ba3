/** No payload is longer, however it is counted. */
const MOST_BYTES = 131_072;

/**
 * About how many bytes a value has as JSON: a name or a text counts 3 more than its characters, and every value 2.
 * Null: more than a payload has, or a part is no JSON, as what `upgrade` makes may be.
 */
export function bytesOfJson(value: unknown): number | null {
  const left: unknown[] = [value];
  let bytes = 0;
  while (left.length > 0) {
    const next = left.pop();
    bytes += typeof next === "string" ? next.length + 3 : 2;
    if (!isJson(next) || bytes + left.length > MOST_BYTES) return null;
    if (Array.isArray(next)) for (const part of next as unknown[]) left.push(part);
    else if (typeof next === "object" && next !== null) bytes += addFields(next as Record<string, unknown>, left);
  }
  return bytes;
}

/** The bytes of the names. */
function addFields(fields: Record<string, unknown>, to: unknown[]): number {
  let bytes = 0;
  for (const name in fields) {
    bytes += name.length + 3;
    to.push(fields[name]);
  }
  return bytes;
}

function isJson(value: unknown): boolean {
  if (typeof value !== "object")
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The application's own check of no more values costs little, whatever is wrong with them. */
const FEW_VALUES = 50;

/**
 * Whether so many values are in a value that an application's own check of it may cost much. It looks at 50 of them.
 */
export function isLarge(value: unknown): boolean {
  return valuesLeft(value, FEW_VALUES) < 0;
}

function valuesLeft(value: unknown, most: number): number {
  let left = most - 1;
  if (typeof value !== "object" || value === null) return left;
  for (const name in value) {
    if (left < 0) return left;
    left = valuesLeft((value as Record<string, unknown>)[name], left);
  }
  return left;
}
