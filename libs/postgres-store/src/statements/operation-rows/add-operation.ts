import { type EpochMs, type NewOperation, OPEN_OPERATION_STATES, type TaskOperation } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { OPERATION_FIELDS, readOperationRow } from "../../sql/operation-rows.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";

interface AddOperation extends NewOperation {
  asOf: EpochMs | null;
}

const [p, values] = parameters<AddOperation>()({
  asOf,
  id: typed("uuid", ({ id }) => id),
  namespace: typed("text", ({ namespace }) => namespace),
  action: typed("text", ({ action }) => action),
  filter: typed("json", ({ filter }) => JSON.stringify(filter)),
  options: typed("json", ({ options }) => JSON.stringify(options)),
  actor: typed("text", ({ actor }) => actor),
  reason: typed("text", ({ reason }) => reason),
  estimate: typed("bigint", ({ estimate }) => estimate),
  idempotencyKey: typed("text", ({ idempotency }) => idempotency?.key ?? null),
  bodyHash: typed("text", ({ idempotency }) => idempotency?.bodyHash ?? null),
});

/**
 * Adds an operation, whose first page is due at once. No row: the namespace has one with the idempotency key. It waits
 * for transactions that are adding one of this key.
 *
 * Plan: one insert; the unique index of keys.
 */
export const addOperation: Statement<AddOperation, TaskOperation> = {
  name: "add_operation",
  sql: (schema) => `
    INSERT INTO ${schema}.operation AS o
           (id, namespace, action, filter, options, state, created_at, created_by, reason, idempotency_key, body_hash, estimate, next_at)
    SELECT ${p.id}, ${p.namespace}, ${p.action}, ${p.filter}, ${p.options}, 'running', now, ${p.actor}, ${p.reason},
           ${p.idempotencyKey}, ${p.bodyHash}, ${p.estimate}, now
      FROM (SELECT ${now(p.asOf)} AS now OFFSET 0) clock
    ON CONFLICT (namespace, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING ${OPERATION_FIELDS}`,
  values,
  read: readOperationRow,
};

const OPEN = OPEN_OPERATION_STATES.map((state) => `'${state}'`).join(", ");

/** How many operations of a namespace are open, up to a limit. Plan: the index of open ones of a namespace. */
export const countOpenOperations: Statement<{ namespace: string; limit: number }, number> = {
  name: "count_open_operations",
  sql: (schema) => `
    SELECT count(*)::integer AS count FROM (
      SELECT FROM ${schema}.operation WHERE namespace = $1 AND state IN (${OPEN}) LIMIT $2
    ) counted`,
  values: ({ namespace, limit }) => [namespace, limit],
  read: (row) => Number(row.count),
};

/** The operation that was started under an idempotency key, and what the call asked for. */
export interface StartedUnderKey {
  operation: TaskOperation;
  bodyHash: string;
}

/** Plan: one probe of the index of idempotency keys. */
export const startedUnderKey: Statement<{ namespace: string; key: string }, StartedUnderKey> = {
  name: "started_under_key",
  sql: (schema) => `
    SELECT ${OPERATION_FIELDS}, o.body_hash FROM ${schema}.operation o WHERE o.namespace = $1 AND o.idempotency_key = $2`,
  values: ({ namespace, key }) => [namespace, key],
  read: (row) => ({ operation: readOperationRow(row), bodyHash: row.body_hash as string }),
};
