import type { Breaker, BreakerSubject, EpochMs } from "@tickwheel/core";
import { instant, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { KEPT_UNTIL } from "./read-breakers.js";

interface WriteBreaker {
  breaker: Breaker;
  /** Whether the transaction holds its row; else there was none. */
  isLocked: boolean;
}

/** Writes a breaker. No row is answered where somebody else has opened it since the transaction looked. */
export const writeBreaker: Statement<WriteBreaker, true> = {
  name: "write_breaker",
  sql: (schema) => `
    INSERT INTO ${schema}.breaker (namespace, kind, name, state, reason, opened_at, until_at, open_ms, trial_by, failed_trials)
    SELECT $1, $2, $3, $4, $5, ${instant("$6")}, ${instant("$7")}, $8::integer, $9::bigint, $10::integer
        ON CONFLICT (namespace, kind, name)
        DO UPDATE SET state = excluded.state, reason = excluded.reason, opened_at = excluded.opened_at, until_at = excluded.until_at,
                      open_ms = excluded.open_ms, trial_by = excluded.trial_by, failed_trials = excluded.failed_trials
                WHERE $11::boolean
    RETURNING true AS written`,
  values: ({ breaker: b, isLocked }) => [
    b.namespace,
    b.kind,
    b.name,
    b.state,
    b.reason,
    b.openedAt,
    b.until,
    b.openForMs,
    b.trialBy,
    b.failedTrials,
    isLocked,
  ],
  read: () => true,
};

/** Closes a breaker, whose row the transaction holds. */
export const deleteBreaker: Statement<BreakerSubject, never> = {
  name: "delete_breaker",
  sql: (schema) => `DELETE FROM ${schema}.breaker WHERE namespace = $1 AND kind = $2 AND name = $3`,
  values: ({ namespace, kind, name }) => [namespace, kind, name],
  read: (row) => row as never,
};

/** Forgets breakers that say nothing any more. Those that somebody holds are left for the next time. */
export const forgetBreakers: Statement<{ asOf: EpochMs | null }, never> = {
  name: "forget_breakers",
  sql: (schema) => `
    WITH over AS MATERIALIZED (
      SELECT b.namespace, b.kind, b.name FROM (SELECT ${now("$1")} AS now) clock JOIN ${schema}.breaker b ON ${KEPT_UNTIL} <= clock.now
         FOR UPDATE OF b SKIP LOCKED
    )
    DELETE FROM ${schema}.breaker b USING over o WHERE b.namespace = o.namespace AND b.kind = o.kind AND b.name = o.name`,
  values: ({ asOf }) => [asOf],
  read: (row) => row as never,
};
