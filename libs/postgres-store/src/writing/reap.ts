import { type BootId, type EpochMs, type ReapedTask, type ReapRequest, TickwheelError } from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import { endHandlerSessions } from "../statements/recover/end-handler-sessions.js";
import { reapTasks } from "../statements/recover/reap-tasks.js";

/** Ends the transactions that handlers of dead nodes have left open, then takes these nodes' tasks. */
export async function reap(
  database: PostgresDatabase,
  request: ReapRequest & { asOf: EpochMs | null },
): Promise<ReapedTask[]> {
  if (request.owners.length === 0) return [];
  await endSessionsOf(database, request.owners);
  return database.run(reapTasks, request);
}

/** If the role may not end the sessions, their own idle limit ends them later. The tasks are reaped in any case. */
async function endSessionsOf(database: PostgresDatabase, owners: readonly BootId[]): Promise<void> {
  try {
    await database.run(endHandlerSessions, { owners });
  } catch (error) {
    if (!(error instanceof TickwheelError) || error.code !== "INTERNAL") throw error;
  }
}
