import { type Fault, MAX_OPEN_MS, parseDurationMs, TickwheelError, withCommas } from "@tickwheel/core";
import { DEFAULT_JUDGE, type JudgeOptions } from "@tickwheel/executors";
import type { BreakerOptions, NodeHandler } from "../handlers/node-handler.js";

const OPEN_FOR_MS = { least: 1_000, most: MAX_OPEN_MS };
const MOST_ATTEMPTS = 10_000;

/** What must hold of each option; the message says what. */
const RULES: Readonly<Record<keyof BreakerOptions, { holds: (value: unknown) => boolean; message: string }>> = {
  errorShare: {
    holds: (value) => typeof value === "number" && value > 0 && value <= 1,
    message: "must be a number above 0 and up to 1",
  },
  leastAttempts: {
    holds: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_ATTEMPTS,
    message: `must be a whole number from 1 to ${withCommas(MOST_ATTEMPTS)}`,
  },
  openFor: {
    holds: (value) => isWithin(parseDurationMs(value)),
    message: 'must be a duration from "1s" to "10m"',
  },
};

/**
 * When the breaker of a handler's type opens; undefined: it has none.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID`, with everything that is wrong
 */
export function breakerOf({
  type,
  where,
  options,
}: Pick<NodeHandler, "type" | "where" | "options">): JudgeOptions | undefined {
  const given: unknown = options.breaker;
  if (given === undefined) return undefined;
  const faults = faultsOf(given);
  if (faults.length > 0) {
    const texts = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
    const message = `The breaker of the handler of "${type}" (${where}): ${texts}.`;
    throw new TickwheelError("CONFIGURATION_INVALID", message, { faults });
  }
  const { errorShare, leastAttempts, openFor } = given as BreakerOptions;
  return {
    errorShare: errorShare ?? DEFAULT_JUDGE.errorShare,
    leastAttempts: leastAttempts ?? DEFAULT_JUDGE.leastAttempts,
    openForMs: openFor === undefined ? DEFAULT_JUDGE.openForMs : Math.round(parseDurationMs(openFor)!),
  };
}

function faultsOf(given: unknown): Fault[] {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return [{ path: "breaker", message: "must be an object: {} means all defaults" }];
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    if (!Object.hasOwn(RULES, name))
      return [{ path: `breaker.${name}`, message: `is none of ${Object.keys(RULES).join(", ")}` }];
    const { holds, message } = RULES[name as keyof BreakerOptions];
    return value === undefined || holds(value) ? [] : [{ path: `breaker.${name}`, message }];
  });
}

function isWithin(ms: number | null): boolean {
  return ms !== null && ms >= OPEN_FOR_MS.least && ms <= OPEN_FOR_MS.most;
}
