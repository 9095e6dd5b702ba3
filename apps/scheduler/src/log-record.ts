import { inspect } from "node:util";
import { errorText } from "@tickwheel/core";

/** What Nest knows of a line beside its message. */
export interface LineSource {
  /** Whose logger it is, such as `Tickwheel API`. */
  context?: string | undefined;
  /** The stack that the caller gave. */
  stack?: unknown;
}

/**
 * The fields of a line beside its time and level. An object that has a text as `msg` (an event, a line of a handler)
 * gives its own fields; of anything else there is `msg` alone, and `error` where it is or brings an error.
 */
export function logRecord(message: unknown, { context, stack }: LineSource): Record<string, unknown> {
  const told = typeof stack === "string" && stack !== "" ? { error: stack } : {};
  return { ...fieldsOf(message), ...told, ...(context && { context }) };
}

/** The same for people: what an event or a line of a handler says of itself, an error with its stack. */
export function logText(message: unknown): string {
  if (message instanceof Error) return errorText(message);
  if (isRecord(message)) return message.toJSON ? message.toString() : message.msg;
  return typeof message === "string" ? message : inspect(message);
}

function fieldsOf(message: unknown): Record<string, unknown> {
  if (message instanceof Error) return { msg: message.message, error: errorText(message) };
  if (!isRecord(message)) return { msg: typeof message === "string" ? message : inspect(message) };
  const { msg, event, ...fields } = message.toJSON ? message.toJSON() : message;
  return { msg, ...(event !== undefined && { event }), ...fields };
}

interface MessageRecord extends Record<string, unknown> {
  msg: string;
  toString(): string;
  toJSON?: () => Record<string, unknown>;
}

function isRecord(message: unknown): message is MessageRecord {
  return typeof message === "object" && message !== null && typeof (message as MessageRecord).msg === "string";
}
