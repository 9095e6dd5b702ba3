import type { EpochMs } from "@tickwheel/core";
import { now, span } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** Writes that a live session is used, and puts its end off, unless that was done within the last minute. */
export const useSession: Statement<{ hash: string; sessionIdleMs: number; asOf: EpochMs | null }, null> = {
  name: "use_session",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now)
    UPDATE ${schema}.session s SET used_at = c.now, over_at = least(s.ends_at, c.now + ${span("$3")}) FROM clock c
     WHERE s.hash = $2 AND s.over_at > c.now
       AND s.used_at < c.now - interval '1 minute'`,
  values: ({ hash, sessionIdleMs, asOf }) => [asOf, hash, sessionIdleMs],
  read: () => null,
};
