import { type SessionLimits, TickwheelError } from "@tickwheel/core";

/** Injection token of the {@link SessionLimits} in force. */
export const SESSION_LIMITS = Symbol("tickwheel.session-limits");

export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  sessionMs: 12 * 60 * 60 * 1_000,
  sessionIdleMs: 60 * 60 * 1_000,
  sessionsPerKey: 20,
};

/** @throws TickwheelError `CONFIGURATION_INVALID` where one is no positive integer */
export function sessionLimitsOf(options: Partial<SessionLimits>): SessionLimits {
  const { sessionMs, sessionIdleMs, sessionsPerKey } = { ...DEFAULT_SESSION_LIMITS, ...options };
  const limits = { sessionMs, sessionIdleMs, sessionsPerKey };
  for (const [name, value] of Object.entries(limits))
    if (!Number.isInteger(value) || value < 1)
      throw new TickwheelError("CONFIGURATION_INVALID", `${name} must be an integer of at least 1.`);
  return limits;
}
