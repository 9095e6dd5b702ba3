import { ACTION_RULES, type EpochMs, type OperationPlan } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { arrayRows } from "../../sql/sql-fragments.js";
import { writtenAnew } from "../../sql/written-anew.js";
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
  return writtenAnew({
    name: "still_fitting",
    textOf: (schema, parameter) => {
      const kinds = kindsOf(schema, plan, parameter);
      const sent = { arrays: [parameter(ids, "uuid[]")], names: "id" };
      const fits = fitsOperation(schema, plan, { parameter, asOf });
      const part = (table: string): string =>
        `SELECT t.id::text AS id FROM ${arrayRows(sent)} CROSS JOIN LATERAL (SELECT * FROM ${schema}.${table} t WHERE t.id = r.id OFFSET 0) t WHERE ${fits}`;
      return `WITH ${kinds} ${tablesOf(plan).map(part).join(" UNION ALL ")}`;
    },
    read: (row) => row.id as string,
  });
}

function tablesOf({ action }: OperationPlan): string[] {
  return isLiveOnly({ states: ACTION_RULES[action].states }) ? ["task"] : ["task", "history"];
}
