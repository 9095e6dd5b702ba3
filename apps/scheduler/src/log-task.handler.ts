import { Injectable, Logger } from "@nestjs/common";
import { oneLine } from "@tickwheel/core";
import { type DelayTask, DelayTaskHandler } from "@tickwheel/nestjs";

/**
 * The type that every stand-alone node with the engine runs, so that a first task fires although nobody wrote a
 * handler.
 */
export const LOG_TASK_TYPE = "tickwheel.log";
/** How many characters of the payload's JSON are logged. */
export const LOGGED_CHARACTERS = 1_024;
/** Lines within {@link WINDOW_MS}; the next window says how many more there were. */
export const LINES_PER_WINDOW = 20;
export const WINDOW_MS = 1_000;

/**
 * Logs a task's id, key and payload, and that is all it does: for trying things out. The log is bounded in the length
 * of a line and in lines a second, and one task is one line whatever is in it. It never fails.
 *
 * @example curl … -d '{ "type": "tickwheel.log", "payload": { "hello": "world" }, "delay": "5s" }'
 */
@Injectable()
export class LogTaskHandler {
  private readonly logger = new Logger(LOG_TASK_TYPE);
  private windowBeganMs = Number.NEGATIVE_INFINITY;
  private lines = 0;

  @DelayTaskHandler(LOG_TASK_TYPE)
  log({ id, key, payload }: DelayTask): void {
    const nowMs = performance.now();
    if (nowMs - this.windowBeganMs >= WINDOW_MS) this.beginWindow(nowMs);
    if (++this.lines > LINES_PER_WINDOW) return;
    this.logger.log(`task ${id}${key === null ? "" : ` key ${printable(key)}`} payload ${printable(payload)}`);
  }

  private beginWindow(nowMs: number): void {
    const more = this.lines - LINES_PER_WINDOW;
    if (more > 0) this.logger.warn(`${more} more tasks ran and were not logged`);
    this.windowBeganMs = nowMs;
    this.lines = 0;
  }
}

/** A value as one bounded line. */
function printable(value: unknown): string {
  const text = JSON.stringify(value) ?? "none";
  const cut =
    text.length > LOGGED_CHARACTERS ? `${text.slice(0, LOGGED_CHARACTERS)}… (${text.length} characters)` : text;
  return oneLine(cut);
}
