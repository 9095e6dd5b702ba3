// A cancel reads the task, and where it is scheduled writes by id what it has concluded: what claimed it in between is
// overwritten.
import { libraryModule, replaceFunction } from "../replacing.mjs";

export const says = "a cancel reads, then writes";
export const breaks = ["no-start-after-cancel", "terminal-is-final"];

export async function plant() {
  replaceFunction("testing/statements/request-statements.js", "cancel", (cancel) => async (session, request) => {
    const seen = await session.run(({ tasks }) => findScheduled([...tasks.values()], request.target));
    const reply =
      seen && (await session.patiently(seen.id, (patience) => session.run(writeBlindly(seen, request), patience)));
    return reply ?? cancel(session, request);
  });
  const { cancelledRow } = await libraryModule("testing/statements/row-transitions.js");
  const { taskOf } = await libraryModule("testing/database/task-row.js");
  const { writeTask } = await libraryModule("testing/statements/write-task.js");

  const writeBlindly =
    (seen, { actor }) =>
    async (scope) => {
      const before = await scope.tasks.lock(seen.id);
      if (!before) return null;
      const asSeen = { ...before, state: "scheduled", cancelRequestedAt: null };
      const after = cancelledRow(asSeen, { actor, reason: "REQUESTED" }, scope.now);
      await writeTask(scope, { before, after }, { reason: after.reason, actor });
      return { outcome: "cancelled", task: taskOf(after, scope) };
    };
}

function findScheduled(rows, target) {
  const isMeant = (row) => ("id" in target ? row.id === target.id : row.keyLive && row.key === target.key);
  return rows.find((row) => row.state === "scheduled" && row.namespace === target.namespace && isMeant(row)) ?? null;
}
