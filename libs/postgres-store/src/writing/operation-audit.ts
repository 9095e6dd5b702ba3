import { newTaskId, type EpochMs, type NewOperation, type Random, type TaskOperation } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { appendAudit } from "../statements/audit/append-audit.js";

/** Who ends an operation. */
export const SYSTEM = "system";

/** What is told of something that was done to an operation. */
export interface OperationEntry {
  at: EpochMs;
  actor: string;
  /** `operation.hold`. */
  action: `operation.${string}`;
  reason: string | null;
}

interface Auditing {
  session: Session;
  random: Random;
}

/** Writes that an operation was started. */
export async function auditStart(
  { session, random }: Auditing,
  { createdAt }: TaskOperation,
  operation: NewOperation,
): Promise<void> {
  const { id, namespace, actor, reason, action, filter, options, estimate } = operation;
  await session.run(appendAudit, {
    id: newTaskId(createdAt, 0, random),
    at: createdAt,
    namespace,
    actor,
    reason,
    action: "operation.create",
    target: `operation:${id}`,
    before: null,
    after: { action, filter, options, estimate },
  });
}

/** Writes what was done to an operation that there was. */
export async function auditChange(
  { session, random }: Auditing,
  entry: OperationEntry,
  { before, after }: { before: TaskOperation; after: TaskOperation },
): Promise<void> {
  const { id, namespace } = after;
  await session.run(appendAudit, {
    ...entry,
    id: newTaskId(entry.at, 0, random),
    namespace,
    target: `operation:${id}`,
    ...changesOf(before, after),
  });
}

/** What people decide of an operation, and what comes of it in the end. */
const TOLD = ["state", "heldAt", "heldBy", "stopReason", "undo"] as const;
const TOLD_OF_ENDS = ["changed", "passed", "undone", "leftBehind"] as const;

function changesOf(before: TaskOperation, after: TaskOperation) {
  const changed = TOLD.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const isEnd = after.finishedAt !== null;
  return {
    before: Object.fromEntries(changed.map((field) => [field, before[field]])),
    after: Object.fromEntries([...changed, ...(isEnd ? TOLD_OF_ENDS : [])].map((field) => [field, after[field]])),
  };
}
