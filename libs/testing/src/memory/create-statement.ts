import type {
  CreateReply,
  CreateRequest,
  CreateResult,
  ExecutionRef,
  Idempotency,
  NewTask,
  TaskType,
} from "@tickwheel/core";
import { type CreateAnswer, keyName } from "./draft.js";
import type { StatementScope } from "./statement-scope.js";
import { cancelledRow, createdRow, editedRow, keylessRow } from "./row-transitions.js";
import { type TaskRow, taskOf } from "./task-row.js";
import { writeTask } from "./write-task.js";

/** How long an idempotency key is remembered. */
export const IDEMPOTENCY_MS = 86_400_000;

/** Writes tasks, or answers what an earlier request under the same idempotency key wrote. */
export function create(scope: StatementScope, request: CreateRequest): CreateReply {
  const known = request.idempotency ? rememberedAnswer(scope, request.namespace, request.idempotency) : null;
  if (known && known.bodyHash !== request.idempotency?.bodyHash) return { kind: "key_reused" };
  if (known) return { kind: "replayed", results: known.answers.map((answer) => resultOf(scope, untold(answer))) };
  const answers = request.tasks.map((task) => createOne(scope, task, typeOf(scope, request.namespace, task)));
  if (request.idempotency && answers.some((answer) => answer.outcome !== "rejected")) {
    const name = idempotencyName(request.namespace, request.idempotency);
    scope.draft.idempotency.set(name, { bodyHash: request.idempotency.bodyHash, at: scope.now, answers });
  }
  return { kind: "written", results: answers.map((answer) => resultOf(scope, answer)) };
}

function rememberedAnswer(scope: StatementScope, namespace: string, idempotency: Idempotency) {
  const row = scope.draft.idempotency.lock(idempotencyName(namespace, idempotency));
  return row && scope.now - row.at < IDEMPOTENCY_MS ? row : null;
}

function idempotencyName(namespace: string, idempotency: Idempotency): string {
  return `${namespace}\0${idempotency.key}`;
}

function typeOf(scope: StatementScope, namespace: string, task: NewTask): TaskType {
  const type = scope.types.get(task.typeId);
  if (!type || type.namespace !== namespace) throw new Error(`There is no type ${task.typeId} in ${namespace}`);
  return type;
}

function createOne(scope: StatementScope, task: NewTask, type: TaskType): CreateAnswer {
  const holder = task.key === null ? null : keyHolder(scope, task.typeId, task.key);
  return holder ? meetHolder(scope, { holder, task, type }) : insert(scope, task, type);
}

function keyHolder({ draft }: StatementScope, typeId: number, key: string): TaskRow | null {
  const id = draft.keys.lock(keyName(typeId, key));
  return id === undefined ? null : (draft.tasks.lock(id) ?? null);
}

function insert(scope: StatementScope, task: NewTask, type: TaskType): CreateAnswer {
  if (scope.draft.tasks.get(task.id)) throw new Error(`There is a task ${task.id} already`);
  writeTask(scope, { before: null, after: createdRow(task, type, scope.now) }, { actor: task.actor });
  return { outcome: "created", id: task.id };
}

function meetHolder(scope: StatementScope, meeting: { holder: TaskRow; task: NewTask; type: TaskType }): CreateAnswer {
  const { holder, task, type } = meeting;
  switch (task.onConflict) {
    case "reject":
      return { outcome: "rejected", existingId: holder.id };
    case "return":
      return { outcome: "existing", id: holder.id };
    case "refresh":
      if (refresh(scope, holder, task)) return { outcome: "refreshed", id: holder.id };
      return insert(scope, task, type);
    case "replace":
      replace(scope, holder, task);
      insert(scope, task, type);
      return { outcome: "replaced", id: task.id, interrupted: executionOf(holder) };
  }
}

/** Moves the due time of a scheduled holder. False: it runs, and its key is free now for the next cycle. */
function refresh(scope: StatementScope, holder: TaskRow, task: NewTask): boolean {
  const after = editedRow(holder, { due: task.due }, scope.now);
  if (after) writeTask(scope, { before: holder, after }, { reason: "REFRESHED", actor: task.actor });
  else writeTask(scope, { before: holder, after: keylessRow(holder) }, null);
  return after !== null;
}

function replace(scope: StatementScope, holder: TaskRow, task: NewTask): void {
  const after = cancelledRow(holder, { actor: task.actor, reason: "REPLACED" }, scope.now);
  if (after) {
    writeTask(scope, { before: holder, after: keylessRow(after) }, { reason: "REPLACED", actor: task.actor });
  } else {
    writeTask(scope, { before: holder, after: keylessRow(holder) }, null);
  }
}

function executionOf({ id, state, owner, fence }: TaskRow): ExecutionRef | undefined {
  return state === "running" && owner !== null ? { id, owner, fence } : undefined;
}

/** Whom the first answer has told to stop, the second need not. */
function untold(answer: CreateAnswer): CreateAnswer {
  return answer.outcome === "rejected" ? answer : { outcome: answer.outcome, id: answer.id };
}

function resultOf(scope: StatementScope, answer: CreateAnswer): CreateResult {
  if (answer.outcome === "rejected") {
    return { outcome: "rejected", code: "TASK_KEY_CONFLICT", existingId: answer.existingId };
  }
  const row = scope.draft.tasks.get(answer.id) ?? scope.draft.history.get(answer.id);
  if (!row) throw new Error(`Task ${answer.id} is past its retention`);
  const { outcome, interrupted } = answer;
  return { outcome, task: taskOf(row, scope), ...(interrupted && { interrupted }) };
}
