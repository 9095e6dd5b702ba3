import type { EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { instant, now } from "../../sql/sql-fragments.js";
import { writeJson } from "../../sql/task-rows.js";

/** Something that somebody has done. */
export interface NewAuditEntry {
  /** UUIDv7. */
  id: string;
  at: EpochMs;
  /** Null: the whole cluster. */
  namespace: string | null;
  actor: string;
  /** `operation.create`. */
  action: string;
  /** `operation:<id>`; null: there is none. */
  target: string | null;
  /** The fields that have changed, and no payload; null: there were none before. */
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
  reason: string | null;
}

const [p, values] = parameters<NewAuditEntry>()({
  id: typed("uuid", ({ id }) => id),
  at: ({ at }) => at,
  namespace: typed("text", ({ namespace }) => namespace),
  actor: typed("text", ({ actor }) => actor),
  action: typed("text", ({ action }) => action),
  target: typed("text", ({ target }) => target),
  before: typed("json", ({ before }) => writeJson(before)),
  after: typed("json", ({ after }) => writeJson(after)),
  reason: typed("text", ({ reason }) => reason),
});

/** Writes a row of the audit, in the transaction of what it tells. Plan: one insert. */
export const appendAudit: Statement<NewAuditEntry, never> = {
  name: "append_audit",
  sql: (schema) => `
    INSERT INTO ${schema}.audit (id, at, namespace, actor, action, target, before, after, reason)
    VALUES (${p.id}, ${instant(p.at)}, ${p.namespace}, ${p.actor}, ${p.action}, ${p.target}, ${p.before}, ${p.after}, ${p.reason})`,
  values,
  read: (row) => row as never,
};

interface ForgetAudit {
  /** Older entries are forgotten, in days. */
  keptDays: number;
  /** At most this many. */
  limit: number;
  asOf: EpochMs | null;
}

const [f, valuesOfForget] = parameters<ForgetAudit>()({
  asOf,
  keptDays: typed("float8", ({ keptDays }) => keptDays),
  limit: typed("integer", ({ limit }) => limit),
});

/** Forgets the oldest rows of the audit, and answers how many. Plan: one range of the index of times. */
export const forgetAudit: Statement<ForgetAudit, number> = {
  name: "forget_audit",
  sql: (schema) => `
    WITH old AS MATERIALIZED (
      SELECT id FROM ${schema}.audit WHERE at < (SELECT ${now(f.asOf)} - ${f.keptDays} * interval '1 day')
       ORDER BY at LIMIT ${f.limit} FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM ${schema}.audit a USING old WHERE a.id = old.id RETURNING 1)
    SELECT count(*)::integer AS count FROM gone`,
  values: valuesOfForget,
  read: (row) => Number(row.count),
};
