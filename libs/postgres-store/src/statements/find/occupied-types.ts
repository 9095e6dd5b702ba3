import type { TypeId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

const LARGEST_TYPE_ID = 2_147_483_647;

/**
 * The types that have scheduled tasks, except the given ones, whose rows it does not read. It goes through the gaps
 * between the given types. In each gap it jumps from the first entry of a type to that of the next.
 *
 * Plan: one probe of the due index for each type that is found and for each gap, however many types and tasks there
 * are.
 */
export const occupiedTypes: Statement<{ except: readonly TypeId[] }, TypeId> = {
  name: "occupied_types",
  sql: (schema) => `
    WITH RECURSIVE found AS (
      SELECT gap.until_id, first.type_id FROM unnest($1::integer[], $2::integer[]) AS gap (after_id, until_id)
       CROSS JOIN LATERAL (
         SELECT t.type_id FROM ${schema}.task t
          WHERE t.state = ${STATE.scheduled} AND t.type_id > gap.after_id AND t.type_id < gap.until_id
          ORDER BY t.type_id LIMIT 1
       ) first
      UNION ALL
      SELECT found.until_id, next.type_id FROM found
       CROSS JOIN LATERAL (
         SELECT t.type_id FROM ${schema}.task t
          WHERE t.state = ${STATE.scheduled} AND t.type_id > found.type_id AND t.type_id < found.until_id
          ORDER BY t.type_id LIMIT 1
       ) next
    )
    SELECT type_id FROM found`,
  values: ({ except }) => {
    const sorted = [...except].sort((one, other) => one - other);
    return [
      [0, ...sorted],
      [...sorted, LARGEST_TYPE_ID],
    ];
  },
  read: (row) => Number(row.type_id),
};
