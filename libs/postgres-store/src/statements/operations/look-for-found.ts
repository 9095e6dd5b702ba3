import type { EpochMs, OperationPlan } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { filterColumns, type Parameter } from "../../sql/task-filter-sql.js";
import { readJson, readText } from "../../sql/task-rows.js";
import { writtenAnew } from "../../sql/written-anew.js";
import { lookedSql, type LookWay, LOWEST } from "../read/look-source.js";
import { fitsOperation } from "./acting.js";
import { ACTED_COLUMNS } from "./action-condition.js";

/** One look for the tasks of a page. */
export interface FoundLook {
  /** Its filter lets in only states of the action, and only what was created before the operation. */
  plan: OperationPlan;
  by: LookWay;
  /** The position to go on from; null: the newest. */
  below: string | null;
  /** At most this many rows are looked at. */
  rows: number;
  /** Most tasks. */
  limit: number;
  asOf: EpochMs | null;
}

export interface FoundIds {
  /** Newest first. */
  ids: string[];
  /** Rows that were looked at. If it equals the rows that were allowed, there may be more. */
  lookedAt: number;
  /** The last row that was looked at; null: there was none. */
  last: string | null;
}

/**
 * Finds tasks that fit filter and action of an operation, newest id first: one look, as `lookForTasks` and at the same
 * cost. Each run is planned anew.
 */
export function lookForFound(look: FoundLook): Statement<null, FoundIds> {
  return writtenAnew({
    name: "look_for_found",
    fixed: [look.plan.namespace, look.limit, look.rows],
    textOf: (schema, parameter) => textOf(schema, look, parameter),
    read: (row) => ({
      ids: readJson(row.ids) as string[],
      lookedAt: Number(row.looked_at),
      last: readText(row.lowest),
    }),
  });
}

function textOf(schema: QuotedSchema, { plan, by, below, asOf }: FoundLook, parameter: Parameter): string {
  const columns = [...new Set([...filterColumns(plan.filter).split(", "), ...ACTED_COLUMNS])].join(", ");
  return `
    WITH RECURSIVE ${lookedSql(schema, { filter: plan.filter, by, below, columns }, parameter)},
    fitting AS MATERIALIZED (
      SELECT t.id FROM looked t WHERE ${fitsOperation(schema, plan, { parameter, asOf })} ORDER BY t.id DESC LIMIT $2
    )
    SELECT (SELECT coalesce(json_agg(f.id ORDER BY f.id DESC)::text, '[]') FROM fitting f) AS ids,
           (SELECT count(*) FROM looked)::float8 AS looked_at, ${LOWEST}`;
}
