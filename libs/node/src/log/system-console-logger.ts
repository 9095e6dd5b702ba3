import { inspect } from "node:util";
import { oneLine } from "@tickwheel/core";
import { LogLine } from "./log-line.js";
import type { NodeLogger } from "./node-logger.js";

/** Writes a line that is complete: to stderr or to stdout. */
export type WriteLine = (line: string) => void;

/**
 * The log of a node that was given none: for each line the instant, the level, the message, the event, and the facts as
 * JSON, all in one line. Errors and warnings go to stderr, the rest to stdout; what is for debugging is left out.
 *
 * @param now the instant of a line. Default: the system's clock
 * @example consoleLogger().log("ready"); // 2026-11-27T04:45:06.120Z INFO ready
 */
export function consoleLogger(
  out: { error: WriteLine; log: WriteLine } = console,
  now: () => Date = () => new Date(),
): NodeLogger {
  const at = (level: string, write: WriteLine) => (line: unknown) =>
    write(oneLine(`${now().toISOString()} ${level} ${textOf(line)}`));
  return {
    error: at("ERROR", (line) => out.error(line)),
    warn: at("WARN", (line) => out.error(line)),
    log: at("INFO", (line) => out.log(line)),
    debug: () => undefined,
  };
}

function textOf(line: unknown): string {
  if (!(line instanceof LogLine)) return String(line);
  const { msg, event, ...facts } = line.toJSON() as Record<string, unknown>;
  const told = Object.keys(facts).length === 0 ? "" : ` ${jsonOf(facts)}`;
  return `${String(msg)} [${String(event)}]${told}`;
}

/** For fields that no JSON can hold (a bigint, a circle) it is the text that Node itself shows. */
function jsonOf(facts: object): string {
  try {
    return JSON.stringify(facts);
  } catch {
    return inspect(facts, { breakLength: Infinity });
  }
}
