import type { EpochMs } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** How many closed findings are kept at most, whatever flickers. */
const MAX_CLOSED = 5_000;

/**
 * Closes the open findings whose cause no node has seen for a while: they ended when it was last seen. And forgets
 * those that ended more than a day ago, or that are too many.
 *
 * Plan: the open ones, which are few; the closed ones from either end of their index.
 */
export const closeFindings: Statement<{ afterMs: number; asOf: EpochMs | null }, never> = {
  name: "close_findings",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    closed AS (
      UPDATE ${schema}.finding SET until = seen_at
       WHERE until IS NULL AND seen_at < (SELECT now - $2::float8 * interval '1 millisecond' FROM clock)
    )
    DELETE FROM ${schema}.finding
     WHERE until < greatest((SELECT now - interval '1 day' FROM clock),
                            (SELECT until FROM ${schema}.finding WHERE until IS NOT NULL ORDER BY until DESC OFFSET ${MAX_CLOSED} LIMIT 1))`,
  values: ({ afterMs, asOf }) => [asOf, afterMs],
  read: (row) => row as never,
};
