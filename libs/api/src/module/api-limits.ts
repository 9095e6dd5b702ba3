import {
  checkNumbers,
  type Fault,
  LONGEST_INTERVAL_MS,
  numberRule,
  type NumberRule,
  type SessionLimits,
  TickwheelError,
} from "@tickwheel/core";
import type { LastingLimits } from "../limits/lasting-loads.js";

/** The options of the API that are numbers, with their defaults. Durations in milliseconds. */
export const DEFAULT_API_NUMBERS = {
  stalledAnswerMs: 60_000,
  sessionMs: 12 * 60 * 60 * 1_000,
  sessionIdleMs: 60 * 60 * 1_000,
  sessionsPerKey: 20,
  streamsPerSession: 6,
  streamsPerKey: 100,
  streamsPerNode: 1_000,
  pollsPerKey: 1_000,
  pollsPerNode: 10_000,
};

export type ApiNumbers = typeof DEFAULT_API_NUMBERS;

/** Sessions are rows, and no timer waits for their end. */
const LONGEST_SESSION_MS = 365 * 24 * 60 * 60 * 1_000;

/** What each of them may be. */
export const API_NUMBER_RULES: Readonly<Record<keyof ApiNumbers, NumberRule>> = {
  stalledAnswerMs: numberRule("duration", 1_000, LONGEST_INTERVAL_MS),
  sessionMs: numberRule("duration", 1_000, LONGEST_SESSION_MS),
  sessionIdleMs: numberRule("duration", 1_000, LONGEST_SESSION_MS),
  sessionsPerKey: numberRule("count", 1, 10_000),
  streamsPerSession: numberRule("count", 1, 10_000),
  streamsPerKey: numberRule("count", 1, 100_000),
  streamsPerNode: numberRule("count", 1, 100_000),
  pollsPerKey: numberRule("count", 1, 100_000),
  pollsPerNode: numberRule("count", 1, 100_000),
};

/** The limits of a mounted API. */
export interface ApiLimits {
  stalledAnswerMs: number;
  sessions: SessionLimits;
  streams: Required<LastingLimits>;
  polls: LastingLimits;
}

/**
 * The limits that options ask for; undefined is absent.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault at once
 */
export function apiLimitsOf(options: { [Name in keyof ApiNumbers]?: number | undefined }): ApiLimits {
  const { numbers, faults } = checkNumbers(options, { rules: API_NUMBER_RULES, defaults: DEFAULT_API_NUMBERS });
  if (faults.length > 0) throw invalid(faults);
  const { stalledAnswerMs, sessionMs, sessionIdleMs, sessionsPerKey } = numbers;
  return {
    stalledAnswerMs,
    sessions: { sessionMs, sessionIdleMs, sessionsPerKey },
    streams: {
      perNode: numbers.streamsPerNode,
      perKey: numbers.streamsPerKey,
      perSession: numbers.streamsPerSession,
    },
    polls: { perNode: numbers.pollsPerNode, perKey: numbers.pollsPerKey },
  };
}

function invalid(faults: Fault[]): TickwheelError {
  const list = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
  return new TickwheelError("CONFIGURATION_INVALID", `DelayTaskApiModule cannot start: ${list}`, { faults });
}
