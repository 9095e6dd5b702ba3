// A refresh frees the key of a running holder and writes the next cycle in one statement. It frees the holders that ran
// when the statement began; one that is claimed while it waits is neither freed nor moved, and the refresh is answered
// with the holder as it was.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a refresh in one statement";

export async function plant() {
  const { refreshOrInsertTasks } = await storeModule("statements/create/refresh-or-insert-tasks.js");
  const { newTaskRows } = await storeModule("statements/create/insert-tasks.js");
  const sameKey =
    "h.slot = r.slot AND h.type_id = r.type_id AND h.key = r.key AND h.key_live AND r.id = ANY ($2::uuid[])";
  rewrite(refreshOrInsertTasks, {
    "WITH clock AS MATERIALIZED (SELECT": `
      WITH freed AS (
        UPDATE @task h SET key_live = false FROM ${newTaskRows(5)} WHERE ${sameKey} AND h.state = 1 RETURNING h.id
      ),
      clock AS MATERIALIZED (SELECT (SELECT count(*) FROM freed) AS freed,`,
    "FROM written t JOIN": `
      FROM (
        SELECT * FROM written
        UNION ALL
        SELECT h.* FROM @task h JOIN ${newTaskRows(5)} ON ${sameKey}
         WHERE h.state = 0 AND NOT EXISTS (SELECT FROM written w WHERE w.slot = r.slot AND w.type_id = r.type_id AND w.key = r.key)
      ) t JOIN`,
  });
}
