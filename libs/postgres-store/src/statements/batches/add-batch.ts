import type { EpochMs, NewBatch } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { instant, now } from "../../sql/sql-fragments.js";
import { writeJson } from "../../sql/task-rows.js";

interface AddBatch extends NewBatch {
  asOf: EpochMs | null;
}

const [p, values] = parameters<AddBatch>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  namespace: typed("text", ({ namespace }) => namespace),
  name: typed("text", ({ name }) => name),
  shards: typed("integer", ({ shards }) => shards),
  onComplete: typed("json", ({ onComplete }) => writeJson(onComplete)),
  onSuccess: typed("json", ({ onSuccess }) => writeJson(onSuccess)),
  failFast: typed("boolean", ({ failFast }) => failFast),
  retryDead: typed("boolean", ({ retryDead }) => retryDead),
  deadlineAt: ({ deadlineAt }) => deadlineAt,
  actor: typed("text", ({ actor }) => actor),
  isSealed: typed("boolean", ({ isSealed }) => isSealed),
});

/**
 * Adds a batch. No row: a kept batch of the namespace has the name. It waits for transactions that are adding one of
 * this name.
 *
 * Plan: one insert; the unique index of names.
 */
export const addBatch: Statement<AddBatch, true> = {
  name: "add_batch",
  sql: (schema) => `
    INSERT INTO ${schema}.batch (id, namespace, name, state, shards, on_complete, on_success, fail_fast, retry_dead,
                                 deadline_at, created_at, created_by, sealed_at)
    SELECT ${p.id}, ${p.namespace}, ${p.name}, CASE WHEN ${p.isSealed} THEN 'open' ELSE 'filling' END, ${p.shards}, ${p.onComplete},
           ${p.onSuccess}, ${p.failFast}, ${p.retryDead}, ${instant(p.deadlineAt)}, now, ${p.actor}, CASE WHEN ${p.isSealed} THEN now END
      FROM (SELECT ${now(p.asOf)} AS now) clock
    ON CONFLICT (namespace, name) WHERE name IS NOT NULL DO NOTHING
    RETURNING true AS added`,
  values,
  read: () => true,
};
