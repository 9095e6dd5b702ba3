// A handler's completion looks first whether its execution is still the task's, and then writes by id alone: what was
// reaped or timed out between the look and the write is overwritten, and the handler's effects are committed.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a transaction's guard is a plain read";

const readExecution = {
  name: "read_execution",
  sql: (schema) => `
    SELECT true AS held FROM ${schema}.task
     WHERE id = $1::uuid AND state = 1 AND owner = $2::bigint AND fence = $3::integer`,
  values: ({ id, owner, fence }) => [id, owner, fence],
  read: () => true,
};

export async function plant() {
  const { PostgresTaskStore } = await storeModule("stores/postgres-task-store.js");
  const { callerSession } = await storeModule("connection/caller-session.js");
  const { completeTasks } = await storeModule("statements/end/complete-tasks.js");
  const completeById = { ...completeTasks, name: "complete_by_id" };
  rewrite(completeById, { "AND (t.state + 0) = 1 AND t.owner = r.owner AND t.fence = r.fence AND true": "" });
  PostgresTaskStore.prototype.completeWithin = async function (completion, within) {
    const session = callerSession(within, this.database.schema);
    const [held] = await session.run(readExecution, completion);
    if (!held) return false;
    const asOf = this.options.asOf?.() ?? null;
    await session.run(completeById, { completions: [completion], lockTimeoutMs: null, asOf });
    return true;
  };
}
