import type {
  BootId,
  CallerTransaction,
  CancelledRef,
  CancelReply,
  CancelRequest,
  CancelTogether,
  ClaimReply,
  ClaimRequest,
  Completion,
  CreateReply,
  CreateRequest,
  Deferral,
  DueReply,
  DueRequest,
  EditReply,
  EditRequest,
  EpochMs,
  ExecutionRef,
  ExpireRequest,
  ForgetReply,
  ForgetRequest,
  HintPage,
  PauseReply,
  PauseRequest,
  JournalPage,
  JournalRequest,
  MaintenanceReply,
  QuarantineReply,
  QuarantineState,
  ReapedTask,
  ReadOptions,
  ReapRequest,
  Release,
  Retention,
  RetryReply,
  RetryRequest,
  RunningRow,
  Settlement,
  SettleReply,
  TallyRequest,
  Task,
  TaskFilter,
  TaskPage,
  TaskStats,
  TaskStore,
  TaskType,
  TypeId,
  WindowRequest,
} from "@tickwheel/core";
import { create } from "../statements/create-statement.js";
import { deadOwners, findDue, loadWindow, occupiedTypes, runningUnder } from "../statements/due-statements.js";
import {
  begin,
  claim,
  complete,
  endBlockers,
  type End,
  endExecutions,
  endOfDeferral,
  endOfRelease,
  endOfSettlement,
  expire,
  verifyStart,
  continueSeries,
} from "../statements/execution-statements.js";
import type { Call, MemoryConnection } from "../database/memory-connection.js";
import type { StatementBody } from "../database/memory-database.js";
import { find } from "../statements/find-statement.js";
import { get, journal, liveAmong, stats } from "../statements/read-statements.js";
import { enterQuarantine, quarantine, suspectsAmong } from "../statements/quarantine-statements.js";
import { reap } from "../statements/reap-statement.js";
import { cancel, cancelScheduled, edit, pause, resume, retry } from "../statements/request-statements.js";
import { archive, forgetEnded, maintain } from "../statements/retention-statements.js";
import { ensureType, listTypes, type WantedType } from "../statements/type-statements.js";

/**
 * A {@link TaskStore} in memory: one node's view of a `MemoryDatabase`. It passes the same conformance suite as the
 * Postgres store, and each method has the same statements and transactions. Replies are copies.
 */
export class MemoryTaskStore implements TaskStore {
  constructor(private readonly connection: MemoryConnection) {}

  now(): Promise<EpochMs> {
    return this.one({ statement: "now", request: null }, (scope) => scope.now);
  }

  timeline(): Promise<string | null> {
    return this.one({ statement: "timeline", request: null }, ({ timeline }) => String(timeline));
  }

  ensureType(request: WantedType, quota?: number): Promise<TaskType> {
    return this.connection.call({ statement: "ensureType", request }, (session) => ensureType(session, request, quota));
  }

  listTypes(): Promise<TaskType[]> {
    return this.one({ statement: "listTypes", request: null }, listTypes);
  }

  occupiedTypes(request: readonly TypeId[]): Promise<TypeId[]> {
    return this.one({ statement: "occupiedTypes", request }, (scope) => occupiedTypes(scope, request));
  }

  create(request: CreateRequest, within?: CallerTransaction): Promise<CreateReply> {
    return this.connection.call({ statement: "create", request, within }, (session) => create(session, request));
  }

  cancel(request: CancelRequest, within?: CallerTransaction): Promise<CancelReply> {
    return this.connection.call({ statement: "cancel", request, within }, (session) => cancel(session, request));
  }

  cancelScheduled(request: CancelTogether): Promise<(Task | null)[]> {
    return this.one({ statement: "cancelScheduled", request }, (scope) => cancelScheduled(scope, request));
  }

  cancelBriefly(request: CancelTogether): Promise<(CancelledRef | null)[]> {
    return this.cancelScheduled(request);
  }

  edit(request: EditRequest, within?: CallerTransaction): Promise<EditReply> {
    return this.connection.call({ statement: "edit", request, within }, (session) => edit(session, request));
  }

  pause(request: PauseRequest, within?: CallerTransaction): Promise<PauseReply> {
    return this.connection.call({ statement: "pause", request, within }, (session) => pause(session, request));
  }

  resume(request: PauseRequest, within?: CallerTransaction): Promise<PauseReply> {
    return this.connection.call({ statement: "resume", request, within }, (session) => resume(session, request));
  }

  retry(request: RetryRequest, within?: CallerTransaction): Promise<RetryReply> {
    return this.connection.call({ statement: "retry", request, within }, (session) => retry(session, request));
  }

  claim(request: ClaimRequest): Promise<ClaimReply> {
    return this.one({ statement: "claim", request }, (scope) => claim(scope, request));
  }

  verifyStart(request: readonly ExecutionRef[]): Promise<ExecutionRef[]> {
    return this.one({ statement: "verifyStart", request }, (scope) => verifyStart(scope, request));
  }

  suspectsAmong(ids: readonly string[]): Promise<string[]> {
    return this.one({ statement: "suspectsAmong", request: ids }, (scope) => suspectsAmong(scope, ids));
  }

  enterQuarantine(request: ExecutionRef): Promise<QuarantineReply> {
    return this.connection.call({ statement: "enterQuarantine", request }, (session) =>
      enterQuarantine(session, request),
    );
  }

  quarantine(): Promise<QuarantineState | null> {
    return this.one({ statement: "quarantine", request: null }, quarantine);
  }

  settle(request: readonly Settlement[]): Promise<SettleReply[]> {
    return this.ends("settle", request, endOfSettlement);
  }

  beginWithin(execution: ExecutionRef & { timeoutMs: number }, within: CallerTransaction): Promise<void> {
    return this.one({ statement: "beginWithin", request: execution, within }, (scope) => begin(scope, execution));
  }

  endBlockers(request: ExecutionRef): Promise<boolean> {
    return this.one({ statement: "endBlockers", request }, (scope) => endBlockers(scope, request));
  }

  completeWithin(request: Completion, within: CallerTransaction): Promise<EpochMs | null> {
    return this.one({ statement: "completeWithin", request, within }, (scope) => complete(scope, request));
  }

  continueSeries(started: ExecutionRef, id: string): Promise<Task | null> {
    return this.one({ statement: "continueSeries", request: started }, (scope) => continueSeries(scope, started, id));
  }

  release(request: readonly Release[]): Promise<SettleReply[]> {
    return this.ends("release", request, endOfRelease);
  }

  defer(request: readonly Deferral[]): Promise<SettleReply[]> {
    return this.ends("defer", request, endOfDeferral);
  }

  expire(request: ExpireRequest): Promise<number> {
    return this.one({ statement: "expire", request }, (scope) => expire(scope, request));
  }

  reap(request: ReapRequest): Promise<ReapedTask[]> {
    return this.one({ statement: "reap", request }, (scope) => reap(scope, request));
  }

  loadWindow(request: WindowRequest): Promise<HintPage> {
    return this.one({ statement: "loadWindow", request }, (scope) => loadWindow(scope, request));
  }

  findDue(request: DueRequest): Promise<DueReply> {
    return this.one({ statement: "findDue", request }, (scope) => findDue(scope, request));
  }

  runningUnder(owner: BootId, ids?: readonly string[]): Promise<RunningRow[]> {
    return this.one({ statement: "runningUnder", request: owner }, (scope) => runningUnder(scope, owner, ids));
  }

  deadOwners(): Promise<BootId[]> {
    return this.one({ statement: "deadOwners", request: null }, deadOwners);
  }

  get(namespace: string, id: string, { within }: ReadOptions = {}): Promise<Task | null> {
    return this.one({ statement: "get", request: { namespace, id }, within }, (scope) => get(scope, namespace, id));
  }

  find(filter: TaskFilter, within?: CallerTransaction): Promise<TaskPage> {
    return this.one({ statement: "find", request: filter, within }, (scope) => find(scope, filter));
  }

  liveAmong(ids: readonly string[]): Promise<string[]> {
    return this.one({ statement: "liveAmong", request: ids }, (scope) => liveAmong(scope, ids));
  }

  journal(request: JournalRequest): Promise<JournalPage | null> {
    return this.one({ statement: "journal", request }, (scope) => journal(scope, request));
  }

  stats(namespace: string): Promise<TaskStats> {
    return this.one({ statement: "stats", request: namespace }, (scope) => stats(scope, namespace));
  }

  /** Does nothing: the statistics here are counted from the rows, with the same result as the tallies would give. */
  tally(request: TallyRequest): Promise<void> {
    return this.one({ statement: "tally", request }, () => undefined);
  }

  foldTallies(): Promise<number> {
    return this.one({ statement: "foldTallies", request: null }, () => 0);
  }

  archive(limit: number): Promise<number> {
    return this.one({ statement: "archive", request: limit }, (scope) => archive(scope, limit));
  }

  forgetEnded(request: ForgetRequest): Promise<ForgetReply> {
    return this.one({ statement: "forgetEnded", request }, (scope) => forgetEnded(scope, request));
  }

  maintain(retention: Retention): Promise<MaintenanceReply> {
    return this.one({ statement: "maintain", request: retention }, (scope) => maintain(scope, retention));
  }

  /** Runs a call that is one statement. */
  private one<T>(call: Call, statement: StatementBody<T>): Promise<T> {
    return this.connection.call(call, (session) => session.run(statement));
  }

  private ends<Item>(
    statement: "settle" | "release" | "defer",
    request: readonly Item[],
    endOf: (item: Item) => End,
  ): Promise<SettleReply[]> {
    return this.connection.call({ statement, request }, (session) => endExecutions(session, request.map(endOf)));
  }
}
