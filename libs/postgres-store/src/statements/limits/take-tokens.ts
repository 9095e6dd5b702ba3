import type { EpochMs, LimitId, TokenGrant } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { tokensAt } from "./token-sql.js";

interface TakeTokens {
  limitId: LimitId;
  most: number;
  asOf: EpochMs | null;
}

/**
 * Takes tokens of a rate; no row: it has gone. One statement is enough: it locks the row of which it reads all, and a
 * lock answers the newest version. The clock is read after the wait. A clock that was set back refills nothing, and the
 * bucket goes by it from there on; one that was set forth refills it once.
 */
export const takeTokens: Statement<TakeTokens, TokenGrant> = {
  name: "take_tokens",
  sql: (schema) => `
    WITH b AS MATERIALIZED (SELECT * FROM ${schema}.bucket WHERE id = $2::integer FOR UPDATE),
    clock AS MATERIALIZED (SELECT ${now("$1")} AS now FROM b),
    refilled AS MATERIALIZED (SELECT ${tokensAt("b", "clock.now")} AS tokens FROM b CROSS JOIN clock),
    granted AS MATERIALIZED (SELECT least($3::float8, floor(r.tokens + 1e-9)) AS count, r.tokens FROM refilled r),
    written AS (
      UPDATE ${schema}.bucket k SET tokens = g.tokens - g.count, refilled_at = clock.now FROM granted g CROSS JOIN clock WHERE k.id = $2::integer
    )
    SELECT g.count AS granted, CASE WHEN g.count < $3::float8 THEN ceil((1 - 1e-9 - (g.tokens - g.count)) / b.rate_per_ms) ELSE 0 END AS next_ms
      FROM granted g CROSS JOIN b`,
  values: ({ limitId, most, asOf }) => [asOf, limitId, most],
  read: (row) => ({ granted: Number(row.granted), nextMs: Number(row.next_ms) }),
};
