/** How far away tasks are that must not become due: a day. */
export const FAR_AWAY_MS = 86_400_000;

/** The time over which such a backlog is spread. */
export const BACKLOG_SPAN_MS = 30 * FAR_AWAY_MS;
