import { isDeeperThan, JsonSource, type JsonText } from "@tickwheel/core";
import * as z from "zod";

/** The longest payload, in bytes of its text. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** How deep a payload may be nested. */
export const MAX_PAYLOAD_DEPTH = 32;

const TOO_LARGE = `must be at most ${MAX_PAYLOAD_BYTES} bytes of JSON`;
const TOO_DEEP = `must not be nested deeper than ${MAX_PAYLOAD_DEPTH} levels`;
const NO_JSON = "must be JSON: no cycle, no BigInt, no function, and nothing that throws when it is written";
/** UTF-8 has at most three bytes for a UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * A payload: text that came as text, or any value, which is written here, once. What is checked is this text, and nothing else travels on:
 * whatever its caller does with the value afterwards changes nothing.
 */
export const payloadField = z
  .custom<JsonText>()
  .check((payload) => {
    const text = textOf(payload.value);
    const message = text === undefined ? NO_JSON : faultOf(text);
    if (message === null) payload.value = text!;
    else payload.issues.push({ code: "custom", message, input: undefined });
  })
  .optional();

/** Whether a fault says that a payload is too large, and nothing else. */
export function isAboutSize({ message }: { message: string }): boolean {
  return message.startsWith(TOO_LARGE);
}

function textOf(value: unknown): JsonText | undefined {
  if (JsonSource.is(value)) return value.text;
  try {
    return JSON.stringify(value) as JsonText | undefined;
  } catch {
    return undefined;
  }
}

function faultOf(text: string): string | null {
  const bytes = text.length * MOST_BYTES_PER_UNIT <= MAX_PAYLOAD_BYTES ? 0 : Buffer.byteLength(text, "utf8");
  if (bytes > MAX_PAYLOAD_BYTES) return `${TOO_LARGE}, not ${bytes}`;
  return isDeeperThan(text, MAX_PAYLOAD_DEPTH) ? TOO_DEEP : null;
}
