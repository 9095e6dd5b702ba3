import type { QuotedSchema } from "../../connection/session.js";
import type { RowsSql } from "../../sql/parameters.js";

/**
 * `unleased`: the leases of executions that a statement ends are deleted. The LIMIT leaves none out: it lets the
 * planner expect few rows, as `arrayRows` does.
 *
 * @param ended the relation of the ended ones, with their ids
 * @param fence the fence of the row `e` of it as it ran
 * @param many the rows that were asked for: there are no more than these
 */
export function leasesGo(
  schema: QuotedSchema,
  { ended, fence, many }: { ended: string; fence: string; many: RowsSql },
): string {
  return `unleased AS (
      DELETE FROM ${schema}.lease l USING (SELECT * FROM ${ended} LIMIT cardinality(${many.arrays[0]})) e
       WHERE l.task_id = e.id AND l.fence = ${fence}
    )`;
}
