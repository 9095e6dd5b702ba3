import type { EpochMs, LimitValues, TypeId } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

interface LimitSubject {
  namespace: string;
  /** Null: the namespace. */
  typeId: TypeId | null;
}

interface WriteLimit extends LimitSubject {
  /** Not both null. */
  values: LimitValues;
  actor: string;
  asOf: EpochMs | null;
}

/**
 * Writes the limits of a type or a namespace, and the bucket of a rate. A new bucket is full; another rate leaves it
 * what tokens it has, as far as they fit. Places that are taken stay taken. It waits for a claim that holds the limit
 * and for a lease of tokens. The transaction holds the revision.
 */
export const writeLimit: Statement<WriteLimit, never> = {
  name: "write_limit",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    written AS (
      INSERT INTO ${schema}.flow_limit (namespace, type_id, max_running, rate_count, rate_ms, burst, changed_at, changed_by)
      SELECT $2, $3::integer, $4::integer, $5::integer, $6::bigint, $7::integer, clock.now, $8 FROM clock
          ON CONFLICT (namespace, type_id)
          DO UPDATE SET max_running = excluded.max_running, rate_count = excluded.rate_count, rate_ms = excluded.rate_ms,
                        burst = excluded.burst, changed_at = excluded.changed_at, changed_by = excluded.changed_by
      RETURNING id, rate_count, rate_ms, burst
    ),
    emptied AS (DELETE FROM ${schema}.bucket b USING written w WHERE b.id = w.id AND w.rate_count IS NULL)
    INSERT INTO ${schema}.bucket AS b (id, rate_per_ms, burst, tokens, refilled_at)
    SELECT w.id, w.rate_count::float8 / w.rate_ms, w.burst, w.burst, clock.now FROM written w CROSS JOIN clock WHERE w.rate_count IS NOT NULL
        ON CONFLICT (id)
        DO UPDATE SET rate_per_ms = excluded.rate_per_ms, burst = excluded.burst, tokens = least(b.tokens, excluded.burst)`,
  values: ({ namespace, typeId, values: { maxRunning, rate }, actor, asOf }) => [
    asOf,
    namespace,
    typeId,
    maxRunning,
    rate?.count ?? null,
    rate?.perMs ?? null,
    rate?.burst ?? null,
    actor,
  ],
  read: (row) => row as never,
};

/** Takes the limits of a subject away, with the bucket. The transaction holds the revision. */
export const deleteLimit: Statement<LimitSubject, never> = {
  name: "delete_limit",
  sql: (schema) => `
    WITH gone AS (
      DELETE FROM ${schema}.flow_limit WHERE namespace = $1 AND type_id IS NOT DISTINCT FROM $2::integer RETURNING id
    )
    DELETE FROM ${schema}.bucket b USING gone g WHERE b.id = g.id`,
  values: ({ namespace, typeId }) => [namespace, typeId],
  read: (row) => row as never,
};
