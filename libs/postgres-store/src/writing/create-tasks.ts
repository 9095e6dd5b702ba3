import { createHash } from "node:crypto";
import {
  type CreateReply,
  type CreateRequest,
  type CreateResult,
  type EpochMs,
  type Idempotency,
  type NewTask,
  type Task,
  TickwheelError,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import type { LockWait, SlowLane } from "./slow-lane.js";
import { beginIdempotentRequest } from "../statements/create/begin-idempotent-request.js";
import { endIdempotentRequest, type StoredOutcome } from "../statements/create/end-idempotent-request.js";
import { findIdempotentRequest } from "../statements/create/find-idempotent-request.js";
import { findTasksById } from "../statements/read/find-tasks-by-id.js";
import { insertKeyedTasks } from "../statements/create/insert-keyed-tasks.js";
import { boundedSession, requireCaller } from "./bounded-call.js";
import { isOnePart } from "./write-parts.js";
import { type Naming, writeTasks } from "./write-tasks.js";

export interface CreateContext {
  request: CreateRequest;
  types: Naming;
  asOf: EpochMs | null;
}

const MAX_ATTEMPTS = 3;
/** A create of more tasks than this is long: more than callers of one key share. */
const MOST_SHORT = 256;

/**
 * Creates tasks in the session's transaction: first the idempotency row, then the keyed rows [lock-order].
 *
 * The first request with an idempotency key writes its row and its tasks in one transaction. A second request waits for
 * that row. Then it answers with the outcomes of the first request and the tasks as they are now.
 */
export async function createTasks(session: Session, context: CreateContext): Promise<CreateReply> {
  const { request } = context;
  if (!request.idempotency) return { kind: "written", results: await writeTasks(session, context) };
  const name = idempotencyName(request.namespace, request.idempotency);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const reply = await createOnce(session, { ...context, name, idempotency: request.idempotency });
    if (reply) return reply;
  }
  throw new TickwheelError("STORE_UNAVAILABLE", "The idempotency key went away each time that it was looked at");
}

/**
 * The same, in a transaction of its own or in one statement. Rows that others have locked are waited for in the slow
 * lane.
 */
export function createAlone(
  { database, lane }: { database: PostgresDatabase; lane: SlowLane },
  context: CreateContext,
): Promise<CreateReply> {
  const { namespace, tasks, signal } = context.request;
  requireCaller(signal);
  const names = contendedNames(context);
  if (names.length > 0)
    return lane.run({
      namespace,
      names,
      isLong: tasks.length > MOST_SHORT,
      attempt: (some, wait) =>
        some.transaction((session) => {
          const { statementTimeoutMs } = wait;
          return createTasks(boundedSession(session, { signal, statementTimeoutMs }), context);
        }, wait),
      probe: (waiting) => (some, wait) => waitForNames(some, wait, { context, names: waiting }),
    });
  if (isOnePart(tasks)) return createTasks(database, context);
  return database.transaction((session) => createTasks(session, context));
}

/** Null: another request had the idempotency key and gave it back meanwhile. */
async function createOnce(
  session: Session,
  context: CreateContext & { name: IdempotencyName; idempotency: Idempotency },
): Promise<CreateReply | null> {
  const { name, idempotency, asOf } = context;
  const { bodyHash } = idempotency;
  const [begun] = await session.run(beginIdempotentRequest, { ...name, bodyHash, asOf });
  if (begun) {
    const results = await writeTasks(session, context);
    const isKept = results.some((result) => result.outcome !== "rejected");
    await session.run(endIdempotentRequest, { ...name, outcomes: isKept ? results.map(storedOutcome) : null });
    return { kind: "written", results };
  }
  const [found] = await session.run(findIdempotentRequest, name);
  if (!found) return null;
  if (found.bodyHash !== bodyHash) return { kind: "key_reused" };
  return { kind: "replayed", results: await replay(session, name.namespace, found.outcomes) };
}

interface IdempotencyName {
  slot: number;
  namespace: string;
  key: string;
}

function idempotencyName(namespace: string, { key }: Idempotency): IdempotencyName {
  const digest = createHash("sha256").update(`${namespace}\0${key}`, "utf8").digest();
  return { slot: digest.readUInt16BE(0) >> 4, namespace, key };
}

function storedOutcome(result: CreateResult): StoredOutcome {
  return result.outcome === "rejected" ? result : { outcome: result.outcome, id: result.task.id };
}

async function replay(
  session: Session,
  namespace: string,
  outcomes: readonly StoredOutcome[],
): Promise<CreateResult[]> {
  const ids = outcomes.flatMap((told) => (told.outcome === "rejected" ? [] : [told.id]));
  const tasks = new Map((await session.run(findTasksById, { namespace, ids })).map((task) => [task.id, task]));
  return outcomes.map((told): CreateResult => {
    if (told.outcome === "rejected") return told;
    return { outcome: told.outcome, task: { ...kept(tasks.get(told.id), told.id) } };
  });
}

function kept(task: Task | undefined, id: string): Task {
  if (task) return task;
  throw new TickwheelError("TASK_NOT_FOUND", `Task ${id}, which this idempotency key made, is past its retention`);
}

/**
 * The names of the rows that a create may have to wait for, each once. The idempotency key is first, as in the lock
 * order.
 */
export function contendedNames({ request, types }: CreateContext): string[] {
  const { tasks, idempotency } = request;
  const names = new Set<string>();
  if (idempotency) names.add(idempotencyLaneName(idempotency));
  for (const { key, typeId } of tasks) {
    if (key !== null) names.add(keyName({ type: types.get(typeId)!.type, key }));
  }
  return [...names];
}

/** The slow lane's name for a key, the same for every kind of write. */
export function keyName({ type, key }: { type: string; key: string }): string {
  return `key\0${type}\0${key}`;
}

function idempotencyLaneName({ key }: Idempotency): string {
  return `idempotency\0${key}`;
}

/**
 * Waits for the rows behind these names of a create, locks them, and rolls that back.
 *
 * @param work.names some of `contendedNames`
 */
export async function waitForNames(
  database: PostgresDatabase,
  wait: LockWait,
  { context, names }: { context: CreateContext; names: readonly string[] },
): Promise<void> {
  const { request, asOf } = context;
  const wanted = new Set(names);
  const isWanted = ({ key, typeId }: NewTask): boolean =>
    key !== null && wanted.delete(keyName({ type: context.types.get(typeId)!.type, key }));
  const { namespace, idempotency } = request;
  const tasks = request.tasks.filter(isWanted);
  const done = database.transaction(async (session) => {
    if (idempotency && wanted.has(idempotencyLaneName(idempotency))) {
      const name = idempotencyName(namespace, idempotency);
      await session.run(beginIdempotentRequest, { ...name, bodyHash: idempotency.bodyHash, asOf });
    }
    if (tasks.length > 0) await session.run(insertKeyedTasks, { tasks, asOf });
    throw new EnoughDone();
  }, wait);
  await done.catch((error: unknown) => {
    if (!(error instanceof EnoughDone)) throw error;
  });
}

/** Rolls back a transaction that has served its purpose. */
class EnoughDone extends Error {}
