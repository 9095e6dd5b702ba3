import { type EpochMs, slotOfKey, type TaskTarget } from "@tickwheel/core";
import { asOf, lockLimit, parameters, typed } from "../../sql/parameters.js";
import type { QuotedSchema } from "../../connection/session.js";

/** Asks for a change of one task, named by its id or by the key that it holds. */
export interface TargetedRequest {
  target: TaskTarget;
  actor: string;
  /** Null in a caller's transaction: it waits as long as it takes. */
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}

/** The parameters of such a statement. */
export const [targeted, targetValues] = parameters<TargetedRequest>()({
  asOf,
  lockLimit,
  namespace: ({ target }) => target.namespace,
  id: typed("uuid", ({ target }) => ("id" in target ? target.id : null)),
  slot: typed("smallint", ({ target }) =>
    "id" in target ? null : slotOfKey(target.namespace, target.type, target.key),
  ),
  type: typed("text", ({ target }) => ("id" in target ? null : target.type)),
  key: typed("text", ({ target }) => ("id" in target ? null : target.key)),
  actor: ({ actor }) => actor,
});

/** The id of the task in the live table; no row: it is not there. One probe of the primary key or of the live keys. */
export function targetId(schema: QuotedSchema): string {
  const ofNamespace = `SELECT t.id FROM ${schema}.task t JOIN ${schema}.type y ON y.id = t.type_id WHERE y.namespace = ${targeted.namespace}`;
  return `
      ${ofNamespace} AND t.id = ${targeted.id}
      UNION ALL
      ${ofNamespace} AND t.slot = ${targeted.slot} AND t.key = ${targeted.key} AND t.key_live AND y.type = ${targeted.type}`;
}

/** Whether the row, once it is locked, is the task that is meant: it may have lost its key during the wait. */
export function isStillMeant(row: string): string {
  return `(${row}.key_live OR ${targeted.key} IS NULL)`;
}
