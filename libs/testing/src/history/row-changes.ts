import type { ExecutionRef, ReapRequest } from "@tickwheel/core";
import type { StatementRecord } from "../memory/statement-record.js";
import type { RowChanged } from "./history-event.js";

/**
 * The log of a memory database as events of a history, one for each row that a statement changed, at the instant of its commit.
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
      execution: executionOf(record, (after ?? before)!.id),
      owners: record.statement === "reap" ? (record.request as ReapRequest).owners : [],
      before,
      after,
    })),
  );
}

/** The execution of this task that the statement's request names. */
function executionOf({ statement, request }: StatementRecord, id: string): RowChanged["execution"] {
  switch (statement) {
    case "settle":
    case "release":
    case "defer":
      return (request as readonly ExecutionRef[]).find((ref) => ref.id === id) ?? null;
    case "completeWithin":
      return request as ExecutionRef;
    default:
      return null;
  }
}
