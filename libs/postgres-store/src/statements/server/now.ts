import type { EpochMs } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

/** The database's clock. */
export const readNow: Statement<{ asOf: EpochMs | null }, EpochMs> = {
  name: "now",
  sql: () => `SELECT ${epochMs(now("$1"))} AS now`,
  values: ({ asOf }) => [asOf],
  read: (row) => readInstant(row.now),
};
