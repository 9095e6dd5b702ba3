import type { EpochMs, NewBatch } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { instant, now } from "../../sql/sql-fragments.js";
import { writeJson } from "../../sql/task-rows.js";

/**
 * Adds a batch. No row: a kept batch of the namespace has the name. It waits for whoever is adding one of this name.
 *
 * Plan: one insert; the unique index of names.
 */
export const addBatch: Statement<NewBatch & { asOf: EpochMs | null }, true> = {
  name: "add_batch",
  sql: (schema) => `
    INSERT INTO ${schema}.batch (id, namespace, name, state, shards, on_complete, on_success, fail_fast, retry_dead,
                                 deadline_at, created_at, created_by, sealed_at)
    SELECT $2::uuid, $3::text, $4::text, CASE WHEN $12::boolean THEN 'open' ELSE 'filling' END, $5::integer, $6::json,
           $7::json, $8::boolean, $9::boolean, ${instant("$10")}, now, $11::text, CASE WHEN $12::boolean THEN now END
      FROM (SELECT ${now("$1")} AS now) clock
    ON CONFLICT (namespace, name) WHERE name IS NOT NULL DO NOTHING
    RETURNING true AS added`,
  values: ({ asOf, id, namespace, name, shards, ...batch }) => [
    ...[asOf, id, namespace, name, shards, writeJson(batch.onComplete), writeJson(batch.onSuccess)],
    ...[batch.failFast, batch.retryDead, batch.deadlineAt, batch.actor, batch.isSealed],
  ],
  read: () => true,
};
