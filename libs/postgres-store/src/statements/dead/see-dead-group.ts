import type { DeadGroupRef, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";

type SeeDeadGroup = Omit<DeadGroupRef, "keptMs"> & { asOf: EpochMs | null };

const [p, values] = parameters<SeeDeadGroup>()({
  asOf,
  namespace: typed("text", ({ namespace }) => namespace),
  type: typed("text", ({ type }) => type),
  print: typed("bigint", ({ print }) => print),
});

/** Writes that somebody has looked at a group now. Plan: one probe of each primary key. */
export const seeDeadGroup: Statement<SeeDeadGroup, never> = {
  name: "see_dead_group",
  sql: (schema) => `
    UPDATE ${schema}.dead_group g SET seen_at = (SELECT ${now(p.asOf)})
      FROM ${schema}.type y
     WHERE y.namespace = ${p.namespace} AND y.type = ${p.type} AND g.type_id = y.id AND g.print = ${p.print}`,
  values,
  read: () => {
    throw new Error("it answers no rows");
  },
};
