import type { DeadGroupRef, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now, wholeMs } from "../../sql/sql-fragments.js";
import { readInstant, readOptionalInstant } from "../../sql/task-rows.js";

type SeeDeadGroup = Omit<DeadGroupRef, "keptMs"> & { asOf: EpochMs | null };

const [p, values] = parameters<SeeDeadGroup>()({
  asOf,
  namespace: typed("text", ({ namespace }) => namespace),
  type: typed("text", ({ type }) => type),
  print: typed("bigint", ({ print }) => print),
});

/** When somebody looked before, null: nobody had; and now. */
interface SeenGroup {
  before: EpochMs | null;
  seenAt: EpochMs;
}

/**
 * Writes that somebody has looked at a group now. No row: there is no such group. Plan: one probe of each primary key.
 */
export const seeDeadGroup: Statement<SeeDeadGroup, SeenGroup> = {
  name: "see_dead_group",
  sql: (schema) => `
    WITH was AS MATERIALIZED (
      SELECT g.type_id, g.print, g.seen_at FROM ${schema}.dead_group g JOIN ${schema}.type y ON y.id = g.type_id
       WHERE y.namespace = ${p.namespace} AND y.type = ${p.type} AND g.print = ${p.print} FOR UPDATE OF g)
    UPDATE ${schema}.dead_group g SET seen_at = (SELECT ${now(p.asOf)}) FROM was
     WHERE g.type_id = was.type_id AND g.print = was.print
    RETURNING ${wholeMs("was.seen_at")} AS before, ${wholeMs("g.seen_at")} AS seen_at`,
  values,
  read: (row) => ({ before: readOptionalInstant(row.before), seenAt: readInstant(row.seen_at) }),
};
