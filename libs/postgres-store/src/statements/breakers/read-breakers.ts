import type { Breaker, EpochMs } from "@tickwheel/core";
import { now, wholeMs } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** The row `b` of a breaker, as a JSON object. */
export const BREAKER_JSON = `json_build_object('kind', b.kind, 'namespace', b.namespace, 'name', b.name, 'state', b.state, 'reason', b.reason,
             'openedAt', ${wholeMs("b.opened_at")}, 'until', ${wholeMs("b.until_at")}, 'openForMs', b.open_ms,
             'trialBy', b.trial_by::text, 'failedTrials', b.failed_trials)::text`;

/** Until when the row `b` says anything: see `keptBreaker`. */
export const KEPT_UNTIL = "b.until_at + CASE WHEN b.kind = 'host' THEN interval '0' ELSE interval '1 hour' END";

/**
 * All breakers that are not closed.
 *
 * Plan: the table as a whole, which has a row for each type that fails and each host that rests.
 */
export const readBreakers: Statement<{ asOf: EpochMs | null }, Breaker> = {
  name: "read_breakers",
  sql: (schema) => `
    SELECT ${BREAKER_JSON} AS breaker
      FROM (SELECT ${now("$1")} AS now) clock JOIN ${schema}.breaker b ON ${KEPT_UNTIL} > clock.now
     ORDER BY b.kind, b.namespace, b.name`,
  values: ({ asOf }) => [asOf],
  read: (row) => JSON.parse(row.breaker as string) as Breaker,
};
