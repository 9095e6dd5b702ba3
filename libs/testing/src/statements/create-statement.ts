import {
  type CreateReply,
  type CreateRequest,
  type CreateResult,
  type Idempotency,
  TickwheelError,
} from "@tickwheel/core";
import type { CallSession, MemorySession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import type { CreateAnswer, IdempotencyRow } from "../database/tables.js";
import { taskOf } from "../database/task-row.js";
import { lockName, writeTasks } from "./write-keyed-tasks.js";

/** How long an idempotency key is remembered. */
export const IDEMPOTENCY_MS = 86_400_000;
const MAX_ATTEMPTS = 3;

/**
 * Writes tasks, or repeats the answer of an earlier request under the same idempotency key. Lock order: idempotency
 * row, keyed rows, others.
 */
export function create(session: CallSession, request: CreateRequest): Promise<CreateReply> {
  const isContended = request.idempotency || request.tasks.some(({ key }) => key !== null);
  if (!isContended) return writeTasks(session, request).then((results) => ({ kind: "written", results }));
  const write = (asked: CreateRequest, lockTimeoutMs: number | null): Promise<CreateReply> =>
    session.transaction(lockTimeoutMs, (within) => createWithin(within, asked));
  const probes = keysAlone(request).map(
    (alone) => (lockTimeoutMs: number) =>
      rolledBack(
        session.transaction(lockTimeoutMs, async (within) => {
          await createWithin(within, alone);
          throw new EnoughDone();
        }),
      ),
  );
  const name = probes.length === 1 ? request.tasks.find(({ key }) => key !== null)!.key! : request.tasks[0]!.id;
  return session.patiently(name, (lockTimeoutMs) => write(request, lockTimeoutMs), probes);
}

/** Rolls back a transaction that has done its work. */
class EnoughDone extends Error {}

async function rolledBack(work: Promise<never>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof EnoughDone)) throw error;
  });
}

/** The same create for each of its keys alone. */
function keysAlone({ namespace, tasks }: CreateRequest): CreateRequest[] {
  const byKey = new Map(tasks.filter(({ key }) => key !== null).map((task) => [lockName(task), task]));
  return [...byKey.values()].map((task) => ({ namespace, tasks: [task] }));
}

async function createWithin(session: MemorySession, request: CreateRequest): Promise<CreateReply> {
  const { idempotency } = request;
  if (!idempotency) return { kind: "written", results: await writeTasks(session, request) };
  const name = `${request.namespace}\0${idempotency.key}`;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (await session.run((scope) => beginRequest(scope, name, idempotency))) {
      const results = await writeTasks(session, request);
      await session.run((scope) => endRequest(scope, name, results));
      return { kind: "written", results };
    }
    const known = await session.run((scope) => scope.idempotency.get(name));
    if (!known?.answers) continue;
    if (known.bodyHash !== idempotency.bodyHash) return { kind: "key_reused" };
    const { answers } = known;
    return {
      kind: "replayed",
      results: await session.run((scope) => answers.map((answer) => resultOf(scope, answer))),
    };
  }
  throw new TickwheelError("STORE_UNAVAILABLE", "The idempotency key went away each time that it was looked at");
}

/** Takes the key, if it is free or forgotten. Waits for a request in flight under the same key. */
async function beginRequest(scope: StatementScope, name: string, { bodyHash }: Idempotency): Promise<boolean> {
  const row: IdempotencyRow = { name, bodyHash, at: scope.now, answers: null };
  const known = await scope.idempotency.insertOrLock(name, row);
  if (known === null) return true;
  if (scope.now - known.at < IDEMPOTENCY_MS) return false;
  scope.idempotency.put(name, row);
  return true;
}

function endRequest(scope: StatementScope, name: string, results: readonly CreateResult[]): void {
  const isKept = results.some(({ outcome }) => outcome !== "rejected");
  const answers = results.map(answerOf);
  scope.idempotency.put(name, isKept ? { ...scope.idempotency.get(name)!, answers } : undefined);
}

function answerOf(result: CreateResult): CreateAnswer {
  return result.outcome === "rejected" ? result : { outcome: result.outcome, id: result.task.id };
}

function resultOf(scope: StatementScope, answer: CreateAnswer): CreateResult {
  if (answer.outcome === "rejected") return answer;
  const row = scope.tasks.get(answer.id) ?? scope.history.get(answer.id);
  if (!row) throw new TickwheelError("TASK_NOT_FOUND", `Task ${answer.id} is past its retention`);
  return { outcome: answer.outcome, task: taskOf(row, scope) };
}
