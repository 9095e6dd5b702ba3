import { isDeeperThan, JsonSource, type JsonText, MAX_PAYLOAD_BYTES } from "@tickwheel/core";
import * as z from "zod";
import { MAX_PAYLOAD_DEPTH } from "./payload-limits.js";
import { lostPartOf } from "./payload-value.js";

const TOO_LARGE = `must be at most ${MAX_PAYLOAD_BYTES} bytes of JSON`;
const TOO_DEEP = `must not be nested deeper than ${MAX_PAYLOAD_DEPTH} levels`;
const NO_JSON = "must be JSON: no cycle, no BigInt, no function, and nothing that throws when it is written";
/** What is said of every payload. */
export const PAYLOAD = "Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit.";
/** UTF-8 has at most three bytes for a UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * A payload: text that came as text, or any value, which is written here, once. The check reads this text, and nothing
 * else travels on: whatever its caller does with the value afterwards changes nothing.
 */
export const payloadField = () =>
  z
    .custom<JsonText>()
    .check((payload) => {
      const { value } = payload as { value: unknown };
      const { text, path, message } = WrittenPayload.is(value) ? value.outcome : written(value);
      if (text !== undefined) payload.value = text;
      else payload.issues.push({ code: "custom", message, path: path ? [path] : [], input: undefined });
    })
    .optional();

/**
 * A payload that was written before its input is checked: what its caller does with the value meanwhile changes
 * nothing.
 */
export class WrittenPayload {
  readonly #outcome: ReturnType<typeof written>;

  constructor(value: unknown) {
    this.#outcome = written(value);
  }

  /** Takes anything, also a value that throws when it is looked at. */
  static is(value: unknown): value is WrittenPayload {
    return typeof value === "object" && value !== null && #outcome in value;
  }

  get outcome(): ReturnType<typeof written> {
    return this.#outcome;
  }
}

/** The text of a payload that was not checked yet; undefined: it can have none. */
export function payloadText(value: unknown): JsonText | undefined {
  return (WrittenPayload.is(value) ? value.outcome : written(value)).text;
}

/** Whether a fault says that a payload is too large, and nothing else. */
export function isAboutSize({ message }: { message: string }): boolean {
  return message.startsWith(TOO_LARGE);
}

/** The text of a payload; or what is wrong with it, and where in it. */
function written(value: unknown): { text?: JsonText; path?: string; message?: string } {
  let text: JsonText | undefined;
  try {
    const lost = JsonSource.is(value) ? null : lostPartOf(value);
    if (lost) return { path: lost.path, message: `must be JSON: it ${lost.reason}` };
    text = JsonSource.is(value) ? value.text : (JSON.stringify(value) as JsonText | undefined);
  } catch {
    // As what has no text.
  }
  const message = text === undefined ? NO_JSON : faultOf(text);
  return message === null ? { text } : { message };
}

function faultOf(text: string): string | null {
  const bytes = text.length * MOST_BYTES_PER_UNIT <= MAX_PAYLOAD_BYTES ? 0 : Buffer.byteLength(text, "utf8");
  if (bytes > MAX_PAYLOAD_BYTES) return `${TOO_LARGE}, not ${bytes}`;
  return isDeeperThan(text, MAX_PAYLOAD_DEPTH) ? TOO_DEEP : null;
}
