/** Injection token of the {@link SessionLimits} in force. */
export const SESSION_LIMITS = Symbol("tickwheel.session-limits");
