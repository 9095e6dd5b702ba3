import {
  type ClaimedTask,
  type Execution,
  type ExecutionResult,
  type Json,
  jsonTextOf,
  newTaskId,
  type TaskType,
  type TickwheelError,
} from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import type { TransactionRunner } from "../src/context/execution-steps.js";
import type { HandlerContext } from "../src/context/handler-context.js";
import { HandlerExecutor, type HandlerPorts } from "../src/handlers/handler-executor.js";
import type { LoggedExecution } from "../src/context/task-logger.js";

export type Handle = (context: HandlerContext) => Promise<Json | void> | Json | void;

/** One task on the memory store, its attempts, and what was committed in the application's own database. */
export async function sceneOf() {
  const world = new MemoryWorld(1);
  const node = world.join("n1");
  const { tasks, effects, cluster, connection, clock } = node;
  const type = await tasks.ensureType({ namespace: "default", type: "report", delivery: "handler" });
  const owner = "7";
  await cluster.join({ bootId: owner, label: "n1", version: "1.0.0", roles: ["engine"], typeIds: [type.id] });
  const committed: string[] = [];
  const logged: unknown[] = [];
  const runTransaction = ((work) => connection.transaction(work as never)) as TransactionRunner;
  const id = newTaskId(world.database.now(), 1, node.random);
  await tasks.create({ namespace: "default", tasks: [{ ...NEW_TASK, id, typeId: type.id }] });

  async function claim(): Promise<ClaimedTask> {
    return (await tasks.claim({ owner, ids: [id], claimAheadMs: 0 })).tasks[0]!;
  }

  const ports = { tasks, effects, clock, runTransaction };
  const run = runnerOf({ ports, type, logged, now: () => world.database.now() });

  async function fail({ fence }: ClaimedTask): Promise<void> {
    const end = { id, owner, fence, startedAt: world.database.now(), delayMs: 0, error: "no" };
    await tasks.settle([{ ...end, kind: "retry" }]);
  }

  /** A step of the application's that is noted once its transaction is committed. */
  const noting =
    <T>(what: string, result: T) =>
    async (transaction: unknown): Promise<T> => {
      (transaction as { onCommit(effect: () => void): void }).onCommit(() => committed.push(what));
      return result;
    };

  return { ...node, world, id, claim, run, fail, committed, logged, noting };
}

interface RunnerParts {
  ports: HandlerPorts;
  type: TaskType;
  /** The lines of the handlers' loggers. */
  logged: unknown[];
  now: () => number;
}

interface RunOptions {
  ownDatabase?: boolean;
  limitBytes?: number;
  signal?: AbortSignal;
  /** What the application's library calls its transaction. Default: the transaction itself. */
  ofLibrary?: object;
}

/** Runs one attempt of a task by a handler. */
function runnerOf({ ports, type, logged, now }: RunnerParts) {
  const loggerOf = (execution: LoggedExecution) => {
    const log = (message: string, fields = {}): void => void logged.push({ message, ...fields, ...execution });
    return { debug: log, info: log, warn: log, error: log };
  };
  return (
    task: ClaimedTask,
    handle: Handle,
    { ownDatabase = true, limitBytes = 1_000, signal = new AbortController().signal, ofLibrary }: RunOptions = {},
  ): Promise<ExecutionResult> => {
    const runTransaction: TransactionRunner | null = ownDatabase
      ? (work) => ports.runTransaction!((transaction) => work(transaction, ofLibrary))
      : null;
    const executor = new HandlerExecutor({ ...ports, runTransaction, loggerOf }, limitBytes);
    executor.register({ namespace: "default", type: "report", handle: (_execution, context) => handle(context) });
    const execution: Execution = {
      task,
      type,
      startedAt: now(),
      signal,
      foundBy: "wheel",
      committed: () => {},
    };
    return executor.run(execution);
  };
}

const NEW_TASK = {
  key: null,
  payload: jsonTextOf(null),
  due: { delayMs: 0 },
  startDeadlineMs: null,
  onConflict: "reject",
  priority: 5,
  maxAttempts: 9,
  backoff: { kind: "fixed", delayMs: 0 },
  timeoutMs: 60_000,
  delivery: null,
  actor: "test",
} as const;

/** The code of a `TickwheelError`. */
export function codeOf(error: unknown): string {
  return (error as TickwheelError).code;
}
