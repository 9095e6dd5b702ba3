import type { ExecutionRef, ReapRequest } from "@tickwheel/core";
import type { StatementRecord } from "@tickwheel/testing";
import type { TaskRow } from "@tickwheel/testing";
import type { RowChanged } from "./history-event.js";

/**
 * The log of a memory database as events of a history, one for each row that a statement changed, at the instant of its
 * commit.
 *
 * @example const events = [...rowChangesOf(database.log), ...starts].sort((a, b) => a.monoMs - b.monoMs);
 */
export function rowChangesOf(log: readonly StatementRecord[]): RowChanged[] {
  return log.flatMap((record) =>
    record.changes.map(({ before, after }) => ({
      kind: "row-changed" as const,
      at: record.committedAt,
      monoMs: record.committedMonoMs,
      commit: record.commit,
      statement: record.statement,
      execution: executionOf(record, before ?? after!),
      owners: record.statement === "reap" ? (record.request as ReapRequest).owners : [],
      before,
      after,
      ...(after === null && isForgotten(record, before!) ? { isForgotten: true } : {}),
    })),
  );
}

/** Whether the statement ended the task's execution by a success that is kept nowhere. */
function isForgotten({ statement, request }: StatementRecord, row: TaskRow): boolean {
  if (statement !== "settle" && statement !== "completeWithin") return false;
  const ends = [request].flat() as readonly (ExecutionRef & { isForgotten?: boolean })[];
  return ends.some(({ id, fence, isForgotten: isSo }) => id === row.id && fence === row.fence && isSo === true);
}

/**
 * The execution of this task that the statement's request names. A batch may name two of one task, where a node sends
 * again what it got no answer to: then the one that the row was of.
 */
function executionOf({ statement, request }: StatementRecord, row: TaskRow): RowChanged["execution"] {
  switch (statement) {
    case "settle":
    case "release":
    case "defer":
      return refOf(request as readonly ExecutionRef[], row);
    case "completeWithin":
      return request as ExecutionRef;
    default:
      return null;
  }
}

function refOf(request: readonly ExecutionRef[], { id, owner, fence }: TaskRow): ExecutionRef | null {
  const named = request.filter((ref) => ref.id === id);
  return named.find((ref) => ref.owner === owner && ref.fence === fence) ?? named[0] ?? null;
}
