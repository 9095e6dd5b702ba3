import type { Statement } from "../../connection/session.js";

/** Wakes the listeners of a channel. */
export const notify: Statement<{ channel: string; payload: string }, true> = {
  name: "notify",
  sql: () => `SELECT true AS sent FROM (SELECT pg_notify($1, $2)) n`,
  values: ({ channel, payload }) => [channel, payload],
  read: () => true,
};
