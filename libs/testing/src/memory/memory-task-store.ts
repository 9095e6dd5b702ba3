import type {
  BootId,
  CallerTransaction,
  CancelReply,
  CancelRequest,
  ClaimReply,
  ClaimRequest,
  Completion,
  CreateReply,
  CreateRequest,
  Deferral,
  DeliveryKind,
  DueReply,
  DueRequest,
  EditReply,
  EditRequest,
  EpochMs,
  ExecutionRef,
  ExpireRequest,
  HintPage,
  JournalEntry,
  MaintenanceReply,
  ReapedTask,
  ReapRequest,
  Release,
  Retention,
  RetryReply,
  RetryRequest,
  RunningRow,
  Settlement,
  SettleReply,
  Task,
  TaskFilter,
  TaskPage,
  TaskStats,
  TaskStore,
  TaskType,
  WindowRequest,
} from "@tickwheel/core";
import { create } from "./create-statement.js";
import { deadOwners, findDue, loadWindow, runningUnder } from "./due-statements.js";
import { claim, complete, defer, expire, reap, release, settle, verifyStart } from "./execution-statements.js";
import type { MemoryConnection } from "./memory-connection.js";
import { find, get, journal, stats } from "./read-statements.js";
import { cancel, edit, retry } from "./request-statements.js";
import { archive, maintain } from "./retention-statements.js";

/**
 * A {@link TaskStore} in memory: one node's view of a `MemoryDatabase`. It passes the same conformance suite as the Postgres store. Each
 * method is one atomic statement over the connection, where tests inject faults; replies are copies.
 */
export class MemoryTaskStore implements TaskStore {
  constructor(private readonly connection: MemoryConnection) {}

  now(): Promise<EpochMs> {
    return this.connection.run({ statement: "now", request: null }, (scope) => scope.now);
  }

  timeline(): Promise<string | null> {
    return this.connection.run({ statement: "timeline", request: null }, ({ timeline }) => String(timeline));
  }

  ensureType(request: { namespace: string; type: string; delivery: DeliveryKind }): Promise<TaskType> {
    return this.connection.run({ statement: "ensureType", request }, ({ types }) => {
      const known = [...types.values()].find(
        (type) => type.namespace === request.namespace && type.type === request.type,
      );
      const type = known ?? { id: types.size + 1, ...request };
      types.set(type.id, type);
      return { ...type };
    });
  }

  listTypes(): Promise<TaskType[]> {
    return this.connection.run({ statement: "listTypes", request: null }, ({ types }) =>
      [...types.values()].map((type) => ({ ...type })),
    );
  }

  create(request: CreateRequest, within?: CallerTransaction): Promise<CreateReply> {
    return this.connection.run({ statement: "create", request, within }, (scope) => create(scope, request));
  }

  cancel(request: CancelRequest, within?: CallerTransaction): Promise<CancelReply> {
    return this.connection.run({ statement: "cancel", request, within }, (scope) => cancel(scope, request));
  }

  edit(request: EditRequest, within?: CallerTransaction): Promise<EditReply> {
    return this.connection.run({ statement: "edit", request, within }, (scope) => edit(scope, request));
  }

  retry(request: RetryRequest, within?: CallerTransaction): Promise<RetryReply> {
    return this.connection.run({ statement: "retry", request, within }, (scope) => retry(scope, request));
  }

  claim(request: ClaimRequest): Promise<ClaimReply> {
    return this.connection.run({ statement: "claim", request }, (scope) => claim(scope, request));
  }

  verifyStart(request: readonly ExecutionRef[]): Promise<ExecutionRef[]> {
    return this.connection.run({ statement: "verifyStart", request }, (scope) => verifyStart(scope, request));
  }

  settle(request: readonly Settlement[]): Promise<SettleReply[]> {
    return this.connection.run({ statement: "settle", request }, (scope) =>
      request.map((settlement) => settle(scope, settlement)),
    );
  }

  completeWithin(request: Completion, within: CallerTransaction): Promise<boolean> {
    return this.connection.run({ statement: "completeWithin", request, within }, (scope) => complete(scope, request));
  }

  release(request: readonly Release[]): Promise<SettleReply[]> {
    return this.connection.run({ statement: "release", request }, (scope) =>
      request.map((asked) => release(scope, asked)),
    );
  }

  defer(request: readonly Deferral[]): Promise<SettleReply[]> {
    return this.connection.run({ statement: "defer", request }, (scope) =>
      request.map((deferral) => defer(scope, deferral)),
    );
  }

  expire(request: ExpireRequest): Promise<number> {
    return this.connection.run({ statement: "expire", request }, (scope) => expire(scope, request));
  }

  reap(request: ReapRequest): Promise<ReapedTask[]> {
    return this.connection.run({ statement: "reap", request }, (scope) => reap(scope, request));
  }

  loadWindow(request: WindowRequest): Promise<HintPage> {
    return this.connection.run({ statement: "loadWindow", request }, (scope) => loadWindow(scope, request));
  }

  findDue(request: DueRequest): Promise<DueReply> {
    return this.connection.run({ statement: "findDue", request }, (scope) => findDue(scope, request));
  }

  runningUnder(owner: BootId): Promise<RunningRow[]> {
    return this.connection.run({ statement: "runningUnder", request: owner }, (scope) => runningUnder(scope, owner));
  }

  deadOwners(): Promise<BootId[]> {
    return this.connection.run({ statement: "deadOwners", request: null }, deadOwners);
  }

  get(namespace: string, id: string, within?: CallerTransaction): Promise<Task | null> {
    return this.connection.run({ statement: "get", request: { namespace, id }, within }, (scope) =>
      get(scope, namespace, id),
    );
  }

  find(filter: TaskFilter, within?: CallerTransaction): Promise<TaskPage> {
    return this.connection.run({ statement: "find", request: filter, within }, (scope) => find(scope, filter));
  }

  journal(namespace: string, id: string): Promise<JournalEntry[] | null> {
    return this.connection.run({ statement: "journal", request: { namespace, id } }, (scope) =>
      journal(scope, namespace, id),
    );
  }

  stats(namespace: string): Promise<TaskStats> {
    return this.connection.run({ statement: "stats", request: namespace }, (scope) => stats(scope, namespace));
  }

  archive(limit: number): Promise<number> {
    return this.connection.run({ statement: "archive", request: limit }, (scope) => archive(scope, limit));
  }

  maintain(retention: Retention): Promise<MaintenanceReply> {
    return this.connection.run({ statement: "maintain", request: retention }, (scope) => maintain(scope, retention));
  }
}
