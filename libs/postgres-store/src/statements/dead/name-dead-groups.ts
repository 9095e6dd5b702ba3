import type { Statement } from "../../connection/session.js";
import { listed, parameters, plain, rows } from "../../sql/parameters.js";
import { arrayRows } from "../../sql/sql-fragments.js";
import { writeText } from "../../sql/task-rows.js";

/** What a group is called, see `printOf`. */
export interface NamedDeadGroup {
  typeId: number;
  print: number;
  title: string;
  place: string;
}

const [p, values] = parameters<readonly NamedDeadGroup[]>()({
  groups: rows((groups: readonly NamedDeadGroup[]) => groups, {
    type_id: plain("integer", ({ typeId }) => typeId),
    print: plain("bigint", ({ print }) => print),
    title: listed("text", ({ title }) => writeText(title)),
    place: listed("text", ({ place }) => writeText(place)),
  }),
});

/** Gives groups their titles and places, in the transaction that made them. Plan: one probe of the primary key each. */
export const nameDeadGroups: Statement<readonly NamedDeadGroup[], never> = {
  name: "name_dead_groups",
  sql: (schema) => `
    UPDATE ${schema}.dead_group g SET title = r.title, place = r.place
      FROM ${arrayRows(p.groups)} WHERE g.type_id = r.type_id AND g.print = r.print`,
  values,
  read: () => {
    throw new Error("it answers no rows");
  },
};
