import { listed, parameters, rows } from "../../sql/parameters.js";
import { arrayRows, stateById } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import type { Statement } from "../../connection/session.js";

const [p, values] = parameters<{ ids: readonly string[] }>()({
  ids: rows(({ ids }: { ids: readonly string[] }) => ids, { id: listed("uuid", (id) => id) }),
});

/** Which of these tasks have not ended. Plan: one probe of the primary key per id. */
export const liveAmong: Statement<{ ids: readonly string[] }, string> = {
  name: "live_among",
  sql: (schema) => `
    SELECT r.id::text AS id FROM ${arrayRows(p.ids)}
     CROSS JOIN LATERAL (SELECT FROM ${schema}.task t WHERE t.id = r.id AND ${stateById("t")} <= ${STATE.running} OFFSET 0) t`,
  values,
  read: (row) => row.id as string,
};
