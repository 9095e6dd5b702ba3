import { TickwheelError } from "@tickwheel/core";

/** The deepest result. Beyond some thousands of levels neither V8 nor Postgres reads its JSON. */
export const MAX_RESULT_DEPTH = 1_000;

/**
 * A handler's result as the JSON that is stored: written once, here, and from here on sent as it is. Null: JSON's null,
 * and what has no JSON, such as undefined or a function.
 *
 * @throws TickwheelError `RESULT_INVALID` where it has none for another reason (a BigInt, a cycle, a `toJSON` that
 *   throws), or is too large or too deep
 */
export function resultText(value: unknown, limitBytes: number): string | null {
  return bounded(jsonOf(value), limitBytes);
}

/**
 * The same of a value that was not made to be a result, such as an entity with its relations: what has no JSON is none.
 *
 * @throws TickwheelError `RESULT_INVALID` where it is too large or too deep
 */
export function resultTextIfJson(value: unknown, limitBytes: number): string | null {
  let text: string | undefined;
  try {
    text = jsonOf(value);
  } catch {
    return null;
  }
  return bounded(text, limitBytes);
}

function bounded(text: string | undefined, limitBytes: number): string | null {
  if (text === undefined || text === "null") return null;
  // A character is one byte at least: of what is far too long not even the bytes are counted.
  const bytes = text.length > limitBytes ? text.length : Buffer.byteLength(text, "utf8");
  if (bytes > limitBytes)
    throw invalid(`The result is larger than ${limitBytes} bytes of JSON (resultLimitBytes): it has at least ${bytes}`);
  if (isTooDeep(text)) throw invalid(`The result is nested deeper than ${MAX_RESULT_DEPTH} levels`);
  return text;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch (cause) {
    throw new TickwheelError("RESULT_INVALID", "The result has no JSON", { cause });
  }
}

/** Whether JSON opens more levels than are allowed. A short text cannot open so many. */
export function isTooDeep(json: string): boolean {
  if (json.length < 2 * MAX_RESULT_DEPTH) return false;
  let levels = 0;
  let isInString = false;
  for (let at = 0; at < json.length && levels <= MAX_RESULT_DEPTH; at++) {
    const character = json[at]!;
    if (character === '"') isInString = !isInString;
    else if (isInString) at += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") levels++;
    else if (character === "]" || character === "}") levels--;
  }
  return levels > MAX_RESULT_DEPTH;
}

function invalid(message: string): TickwheelError {
  return new TickwheelError("RESULT_INVALID", message);
}
