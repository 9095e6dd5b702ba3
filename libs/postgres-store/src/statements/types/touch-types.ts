import type { EpochMs, TypeId } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** Notes that tasks of these types were made, once a day for each. */
export const touchTypes: Statement<{ ids: readonly TypeId[]; asOf: EpochMs | null }, never> = {
  name: "touch_types",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now)
    UPDATE ${schema}.type y SET used_at = clock.now FROM clock
     WHERE y.id = ANY ($2::integer[]) AND (y.used_at < clock.now - interval '1 day' OR y.used_at IS NULL)`,
  values: ({ ids, asOf }) => [asOf, ids],
  read: (row) => row as never,
};
