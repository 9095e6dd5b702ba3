import { type EpochMs, slotOfKey, type TaskTarget } from "@tickwheel/core";
import type { QuotedSchema } from "../../connection/session.js";

/** Asks for a change of one task, named by its id or by the key that it holds. */
export interface TargetedRequest {
  target: TaskTarget;
  actor: string;
  /** Null in a caller's transaction: it waits as long as it takes. */
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}

/**
 * The values of such a statement: `$1` as of when, `$2` the lock's time-out, `$3` the namespace, `$4` the id, or `$5`,
 * `$6` and `$7` the slot, type and key, `$8` the actor.
 */
export function targetValues({ target, actor, lockTimeoutMs, asOf }: TargetedRequest): unknown[] {
  const { namespace } = target;
  const named =
    "id" in target
      ? [target.id, null, null, null]
      : [null, slotOfKey(namespace, target.type, target.key), target.type, target.key];
  return [asOf, lockTimeoutMs === null ? null : String(lockTimeoutMs), namespace, ...named, actor];
}

/** The id of the task in the live table; no row: it is not there. One probe of the primary key or of the live keys. */
export function targetId(schema: QuotedSchema): string {
  const ofNamespace = `SELECT t.id FROM ${schema}.task t JOIN ${schema}.type y ON y.id = t.type_id WHERE y.namespace = $3`;
  return `
      ${ofNamespace} AND t.id = $4::uuid
      UNION ALL
      ${ofNamespace} AND t.slot = $5::smallint AND t.key = $7::text AND t.key_live AND y.type = $6::text`;
}

/** Whether the row, once it is locked, is the task that is meant: it may have lost its key during the wait. */
export function isStillMeant(row: string): string {
  return `(${row}.key_live OR $7::text IS NULL)`;
}
