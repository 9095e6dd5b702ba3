import type { CheckpointReply, EpochMs, NextCheckpoint } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { now } from "../../sql/sql-fragments.js";
import { writePayload } from "../../sql/task-rows.js";

/**
 * Stores a checkpoint in place of the one that it follows, under the lock of its task's row, which the statement before
 * has taken: so this one sees the latest checkpoint and waits for nobody.
 *
 * Plan: the primary key of reports.
 */
export const storeCheckpoint: Statement<
  NextCheckpoint & { asOf: EpochMs | null },
  Exclude<CheckpointReply, "stale">
> = {
  name: "store_checkpoint",
  sql: (schema) => `
    WITH stored AS (
      INSERT INTO ${schema}.handler_report AS r (task_id, created_at, checkpoint, checkpoint_at)
      SELECT $2::uuid, now, $3::json, now FROM (SELECT ${now("$1")} AS now) clock
      ON CONFLICT (task_id) DO UPDATE SET checkpoint = EXCLUDED.checkpoint, checkpoint_at = EXCLUDED.checkpoint_at
       WHERE CASE WHEN r.checkpoint_at IS NOT NULL THEN coalesce(r.checkpoint::text, 'null') END
             IS NOT DISTINCT FROM $4::text
      RETURNING 1
    )
    SELECT CASE WHEN EXISTS (SELECT FROM stored) THEN 'stored' ELSE 'moved' END AS reply`,
  values: ({ id, before, state, asOf }) => [asOf, id, writePayload(state), before],
  read: (row) => row.reply as Exclude<CheckpointReply, "stale">,
};
