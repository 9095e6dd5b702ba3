import { ACTION_RULES, type EpochMs, type OperationPlan } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { arrayRows } from "../../sql/sql-fragments.js";
import type { Parameter } from "../../sql/task-filter-sql.js";
import { isLiveOnly } from "../read/look-source.js";
import { fitsOperation, kindsOf } from "./acting.js";

export interface StillFitting {
  plan: OperationPlan;
  ids: readonly string[];
  asOf: EpochMs | null;
}

/**
 * Which tasks of a page fit filter and action still, of those that it did not get: others hold their locks. It runs
 * behind the statement that has acted, so its snapshot is newer. Plan: one probe of the primary key for each id.
 */
export function stillFitting({ plan, ids, asOf }: StillFitting): Statement<null, string> {
  const values: unknown[] = [];
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`;
  return {
    name: "still_fitting",
    isPrepared: false,
    sql: (schema) => {
      values.length = 0;
      const kinds = kindsOf(schema, plan, parameter);
      const sent = { arrays: [parameter(ids, "uuid[]")], names: "id" };
      const fits = fitsOperation(schema, plan, { parameter, asOf });
      const part = (table: string): string =>
        `SELECT t.id::text AS id FROM ${arrayRows(sent)} CROSS JOIN LATERAL (SELECT * FROM ${schema}.${table} t WHERE t.id = r.id OFFSET 0) t WHERE ${fits}`;
      return `WITH ${kinds} ${tablesOf(plan).map(part).join(" UNION ALL ")}`;
    },
    values: () => values,
    read: (row) => row.id as string,
  };
}

function tablesOf({ action }: OperationPlan): string[] {
  return isLiveOnly({ states: ACTION_RULES[action].states }) ? ["task"] : ["task", "history"];
}
