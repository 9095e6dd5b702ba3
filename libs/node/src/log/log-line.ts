import { inspect } from "node:util";
import { indentedLines, type TelemetryEvent } from "@tickwheel/core";

/**
 * A line of the log with its facts as fields, for whatever logger an application has. Nest's own prints the text,
 * and with `json: true` an object; one that takes an object's fields (pino) gets `msg`, `event`, the facts, and
 * `err`, the error itself.
 *
 * The text is safe to be printed, whatever a handler threw or a caller sent: see {@link indentedLines}. The fields are
 * as they were given, since a logger that writes JSON escapes them.
 */
export class LogLine {
  readonly msg: string;
  readonly event: string;
  declare readonly err?: unknown;
  readonly #text: string;
  readonly #error: string;

  /**
   * @param text what is printed where only text is
   * @param told the error in it, with its stack; empty: there is none
   */
  constructor({ name, message, facts, error }: TelemetryEvent, text: string, told = "") {
    Object.assign(this, facts);
    this.msg = message;
    this.event = name;
    if (error !== undefined) this.err = error;
    this.#text = indentedLines(text);
    this.#error = told;
  }

  /** For loggers that look for it there (winston); none of the fields. */
  get message(): string {
    return this.msg;
  }

  toString(): string {
    return this.#text;
  }

  [inspect.custom](): string {
    return this.#text;
  }

  toJSON(): object {
    const { err: _err, ...fields } = this;
    return { ...fields, ...(this.#error && { error: this.#error }) };
  }
}
