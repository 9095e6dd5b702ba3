import {
  type BootId,
  type CallerTransaction,
  type ConnectionPoolState,
  type CancelledRef,
  type CancelReply,
  type CancelRequest,
  type CancelTogether,
  type ClaimReply,
  type ClaimRequest,
  type Clock,
  type Completion,
  type CreateReply,
  type CreateRequest,
  DEFAULT_OPTIONS,
  type Deferral,
  type DueReply,
  type DueRequest,
  type EditReply,
  type EditRequest,
  type EpochMs,
  type ExecutionRef,
  type ExpireRequest,
  type ForgetReply,
  type ForgetRequest,
  type HintPage,
  type PauseReply,
  type PauseRequest,
  type JournalPage,
  type JournalRequest,
  type MaintenanceReply,
  type QuarantineReply,
  type QuarantineState,
  type ReapedTask,
  type ReadOptions,
  type NamespaceReader,
  type ReapRequest,
  type Release,
  type Retention,
  type RetryReply,
  type RetryRequest,
  type RunningRow,
  type Settlement,
  type SettleReply,
  SystemClock,
  type TallyRequest,
  type Task,
  type TaskFilter,
  type TaskPage,
  type TaskStats,
  type TaskStore,
  type TaskTarget,
  type TaskType,
  type TypeId,
  type WindowRequest,
  isTaskId,
} from "@tickwheel/core";
import { claim } from "../writing/claims.js";
import { continueSeries } from "../writing/continue-series.js";
import { createAlone, createTasks, keyName } from "../writing/create-tasks.js";
import { ExecutionEnds } from "../writing/execution-ends.js";
import { EffectUpkeep } from "../schema/effect-upkeep.js";
import { GrowthWatch } from "../schema/growth-watch.js";
import { maintainPartitions } from "../schema/partitions.js";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import { ReadPool } from "../connection/read-pool.js";
import { reap } from "../writing/reap.js";
import { cancel, cancelScheduled, edit, pause, type RequestWriter, resume, retry } from "../writing/request-writes.js";
import type { Session } from "../connection/session.js";
import { SlowLane } from "../writing/slow-lane.js";
import { appendTallies } from "../statements/count/append-tallies.js";
import { archiveTasks } from "../statements/upkeep/archive-tasks.js";
import { deadOwners } from "../statements/recover/dead-owners.js";
import { cancelScheduledBriefly, cancelScheduledTasks } from "../statements/request/cancel-scheduled-tasks.js";
import { endBlockers } from "../statements/end/end-blockers.js";
import { enterQuarantine } from "../statements/claim/enter-quarantine.js";
import { expireTasks } from "../statements/end/expire-tasks.js";
import { findDue } from "../statements/find/find-due.js";
import { findTasksById } from "../statements/read/find-tasks-by-id.js";
import { forgetEnded } from "../statements/upkeep/forget-ended.js";
import { loadWindow } from "../statements/find/load-window.js";
import { lockQuarantine } from "../statements/claim/lock-quarantine.js";
import { occupiedTypes } from "../statements/find/occupied-types.js";
import { readNow } from "../statements/server/now.js";
import { readTimeline } from "../statements/server/timeline.js";
import { journalPage, readJournal } from "../statements/read/read-journal.js";
import { readQuarantine } from "../statements/claim/read-quarantine.js";
import { runningAmong } from "../statements/recover/running-among.js";
import { runningUnder } from "../statements/recover/running-under.js";
import { liveAmong } from "../statements/read/live-among.js";
import { suspectsAmong } from "../statements/claim/suspects-among.js";
import { verifyStart } from "../statements/claim/verify-start.js";
import { StatsReader } from "../reading/stats-reader.js";
import { upkeepTallies } from "../reading/tally-folding.js";
import { TaskLists } from "../reading/task-lists.js";
import { TypeRegistry } from "./type-registry.js";

/** One fewer than the slow lane and the reads may use together. Each may use two, so the other always keeps one. */
export const SIDE_CONNECTIONS = 3;

export interface PostgresTaskStoreOptions {
  /** In milliseconds; see [shared-writes]. Default 50. */
  lockTimeoutMs?: number;
  /** How long a caller's write waits for rows that others hold, in milliseconds. Default 30,000. */
  lockPatienceMs?: number;
  /** Most bytes of a claim's reply. Default 262,144. */
  claimReplyBytes?: number;
  /** Only for tests: the instant that the statements take for now. */
  asOf?: () => EpochMs;
  /** Measures the age of kept statistics and the time that lists take. */
  clock?: Clock;
  /**
   * Connections for work that must not take one of the engine's: waits for others' locks, and reads. They are closed
   * with the store. Default: the store opens its own.
   */
  side?: PostgresDatabase;
}

/**
 * The tasks as rows in Postgres. These rows alone decide what is true.
 *
 * Most methods are one statement in one round trip. The exceptions are keyed and idempotent creates (a transaction of
 * two to seven statements) and writes that met a lock and are tried again. Each transition's guard is in its statement,
 * see `statements/`. Each statement reads the database's clock, never a caller's. A failed call has changed nothing;
 * only with `STORE_UNAVAILABLE` it may have, and the caller must look.
 */
export class PostgresTaskStore implements TaskStore {
  /** Also used for other writes that may wait for a task's row. */
  readonly lane: SlowLane;
  private readonly ends: ExecutionEnds;
  private readonly lists: TaskLists;
  private readonly statsReader: StatsReader;
  private readonly side: PostgresDatabase;
  private readonly growth: GrowthWatch;
  private readonly effectUpkeep: EffectUpkeep;
  /** The types that this process knows. */
  readonly types: TypeRegistry;
  /** Also used for reads of other things than tasks. */
  readonly reads: ReadPool;
  private readonly claimReplyBytes: number;

  constructor(
    private readonly database: PostgresDatabase,
    private readonly options: PostgresTaskStoreOptions = {},
  ) {
    const lockTimeoutMs = options.lockTimeoutMs ?? DEFAULT_OPTIONS.lockTimeoutMs;
    this.claimReplyBytes = options.claimReplyBytes ?? DEFAULT_OPTIONS.claimReplyBytes;
    this.types = new TypeRegistry(database, () => this.asOf());
    this.side = options.side ?? database.sibling(SIDE_CONNECTIONS);
    this.lane = new SlowLane({ fast: database, slow: this.side, lockTimeoutMs, patienceMs: options.lockPatienceMs });
    this.ends = new ExecutionEnds(database, lockTimeoutMs);
    const clock = options.clock ?? new SystemClock();
    this.reads = new ReadPool(database, this.side);
    this.growth = new GrowthWatch(this.reads, clock);
    this.lists = new TaskLists(clock);
    this.effectUpkeep = new EffectUpkeep(database);
    this.statsReader = new StatsReader(this.reads, clock);
  }

  /** Connections beyond those of the pool. */
  get connectionCount(): number {
    return this.side.connectionCount;
  }

  /** How the side connections are used now. */
  sideState(): ConnectionPoolState {
    return this.side.state("side");
  }

  /** Closes the side connections. The pool is closed by its owner. */
  async close(): Promise<void> {
    await this.lane.close();
    await this.side.close();
  }

  async now(): Promise<EpochMs> {
    return (await this.database.run(readNow, { asOf: this.asOf() }))[0]!;
  }

  async timeline(): Promise<string | null> {
    return (await this.database.run(readTimeline, {}))[0] ?? null;
  }

  ensureType(type: Omit<TaskType, "id">, quota?: number): Promise<TaskType> {
    return this.types.ensure(type, quota);
  }

  listTypes(): Promise<TaskType[]> {
    return this.types.list();
  }

  occupiedTypes(except: readonly TypeId[]): Promise<TypeId[]> {
    return this.database.run(occupiedTypes, { except });
  }

  async create(request: CreateRequest, within?: CallerTransaction): Promise<CreateReply> {
    const context = { request, types: await this.types.of(request.namespace, request.tasks), asOf: this.asOf() };
    if (within) {
      // The caller has not committed these rows yet, so the look sees only the rows before them.
      this.growth.wrote(request.tasks.length);
      return createTasks(this.database.callerSession(within), context);
    }
    const reply = await createAlone({ database: this.database, lane: this.lane }, context);
    this.growth.wrote(request.tasks.length);
    return reply;
  }

  cancel(request: CancelRequest, within?: CallerTransaction): Promise<CancelReply> {
    return this.change(request.target, within, (writer) => cancel(writer, request));
  }

  cancelScheduled(request: CancelTogether): Promise<(Task | null)[]> {
    return cancelScheduled(this.database, cancelScheduledTasks, { ...request, asOf: this.asOf() });
  }

  cancelBriefly(request: CancelTogether): Promise<(CancelledRef | null)[]> {
    return cancelScheduled(this.database, cancelScheduledBriefly, { ...request, asOf: this.asOf() });
  }

  pause(request: PauseRequest, within?: CallerTransaction): Promise<PauseReply> {
    return this.change(request.target, within, (writer) => pause(writer, request));
  }

  resume(request: PauseRequest, within?: CallerTransaction): Promise<PauseReply> {
    return this.change(request.target, within, (writer) => resume(writer, request));
  }

  async edit(request: EditRequest, within?: CallerTransaction): Promise<EditReply> {
    if (!isTaskId(request.id)) return { outcome: "not_found" };
    return this.write({ ...request, name: request.id, within }, (writer) => edit(writer, request));
  }

  async retry(request: RetryRequest, within?: CallerTransaction): Promise<RetryReply> {
    if (!isTaskId(request.id)) return { outcome: "not_found" };
    return this.write({ ...request, name: request.id, within }, (writer) => retry(writer, request));
  }

  claim(request: ClaimRequest): Promise<ClaimReply> {
    return claim(this.database, { ...request, replyBytes: this.claimReplyBytes, asOf: this.asOf() });
  }

  async verifyStart(refs: readonly ExecutionRef[]): Promise<ExecutionRef[]> {
    return refs.length === 0 ? [] : (await this.database.run(verifyStart, { refs })).map((place) => refs[place - 1]!);
  }

  async suspectsAmong(ids: readonly string[]): Promise<string[]> {
    return ids.length === 0 ? [] : this.database.run(suspectsAmong, { ids });
  }

  async enterQuarantine(ref: ExecutionRef): Promise<QuarantineReply> {
    return this.database.transaction(async (session) => {
      await session.run(lockQuarantine, null);
      return (await session.run(enterQuarantine, { ...ref, asOf: this.asOf() }))[0]!;
    });
  }

  async quarantine(): Promise<QuarantineState | null> {
    const states = await this.database.run(readQuarantine, { asOf: this.asOf() });
    return states.find(({ waiting }) => waiting > 0) ?? null;
  }

  continueSeries(started: ExecutionRef, id: string): Promise<Task | null> {
    return this.database.transaction((session) => continueSeries(session, { started, id, asOf: this.asOf() }));
  }

  settle(settlements: readonly Settlement[]): Promise<SettleReply[]> {
    return this.ends.settle(settlements, this.asOf());
  }

  beginWithin(execution: ExecutionRef & { timeoutMs: number }, within: CallerTransaction): Promise<void> {
    return this.ends.beginIn(this.database.callerSession(within), execution);
  }

  async endBlockers(execution: ExecutionRef): Promise<boolean> {
    return (await this.database.run(endBlockers, execution)).length > 0;
  }

  completeWithin(completion: Completion, within: CallerTransaction): Promise<EpochMs | null> {
    return this.ends.completeIn(this.database.callerSession(within), completion, this.asOf());
  }

  release(releases: readonly Release[]): Promise<SettleReply[]> {
    return this.ends.release(releases, this.asOf());
  }

  defer(deferrals: readonly Deferral[]): Promise<SettleReply[]> {
    return this.ends.defer(deferrals, this.asOf());
  }

  async expire(request: ExpireRequest): Promise<number> {
    const asked = { ...request, asOf: this.asOf() };
    return request.typeIds.length === 0 ? 0 : (await this.database.run(expireTasks, asked)).length;
  }

  reap(request: ReapRequest): Promise<ReapedTask[]> {
    return reap(this.database, { ...request, asOf: this.asOf() });
  }

  async loadWindow(request: WindowRequest): Promise<HintPage> {
    const hints = await this.database.run(loadWindow, { ...request, asOf: this.asOf() });
    const last = hints.length < request.limit ? undefined : hints.at(-1);
    return { hints, next: last ? { dueAt: last.dueAt, id: last.id } : null };
  }

  async findDue(request: DueRequest): Promise<DueReply> {
    const rows = await this.database.run(findDue, { ...request, asOf: this.asOf() });
    const hints = rows.flatMap(({ hint }) => (hint ? [hint] : []));
    const counts = new Map<number, number>();
    for (const { typeId } of hints) counts.set(typeId, (counts.get(typeId) ?? 0) + 1);
    const types = request.scopes.map(({ typeId }) => typeId);
    const isShort = (typeId: TypeId): boolean => (counts.get(typeId) ?? 0) < request.limitPerType;
    return { now: rows[0]!.now, hints, shortTypes: types.filter(isShort) };
  }

  runningUnder(owner: BootId, ids?: readonly string[]): Promise<RunningRow[]> {
    if (ids === undefined) return this.database.run(runningUnder, { owner });
    return ids.length === 0 ? Promise.resolve([]) : this.database.run(runningAmong, { owner, ids });
  }

  deadOwners(): Promise<BootId[]> {
    return this.database.run(deadOwners, null);
  }

  async get(namespace: string, id: string, { caller, within }: ReadOptions = {}): Promise<Task | null> {
    if (!isTaskId(id)) return null;
    return (await this.reader({ namespace, caller }, within).run(findTasksById, { namespace, ids: [id] }))[0] ?? null;
  }

  async find(filter: TaskFilter, within?: CallerTransaction): Promise<TaskPage> {
    return this.lists.find(filter, { session: this.reader(filter, within), asOf: this.asOf() });
  }

  async liveAmong(ids: readonly string[]): Promise<string[]> {
    return ids.length === 0 ? [] : this.reads.run(liveAmong, { ids });
  }

  async journal(request: JournalRequest): Promise<JournalPage | null> {
    if (!isTaskId(request.id)) return null;
    return journalPage(await this.reads.of(request.namespace, request.caller).run(readJournal, request), request.limit);
  }

  stats(namespace: string): Promise<TaskStats> {
    return this.statsReader.read(namespace, this.asOf());
  }

  async tally(request: TallyRequest): Promise<void> {
    await this.database.run(appendTallies, { ...request, asOf: this.asOf() });
  }

  foldTallies(): Promise<number> {
    return upkeepTallies(this.reads, this.asOf());
  }

  async archive(limit: number): Promise<number> {
    return (await this.database.run(archiveTasks, { limit }))[0]!;
  }

  async forgetEnded(request: ForgetRequest): Promise<ForgetReply> {
    return (await this.database.run(forgetEnded[request.state], { ...request, asOf: this.asOf() }))[0]!;
  }

  maintain(retention: Retention): Promise<MaintenanceReply> {
    return maintainPartitions(this.database, { ...retention, asOf: this.asOf() }, this.effectUpkeep);
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }

  private reader({ namespace, caller }: NamespaceReader, within: CallerTransaction | undefined): Session {
    return within ? this.database.callerSession(within) : this.reads.of(namespace, caller);
  }

  private async change<Reply>(
    target: TaskTarget,
    within: CallerTransaction | undefined,
    send: (writer: RequestWriter) => Promise<Reply>,
  ): Promise<Reply | { outcome: "not_found" }> {
    if ("id" in target && !isTaskId(target.id)) return { outcome: "not_found" };
    return this.write({ ...target, name: "id" in target ? target.id : keyName(target), within }, send);
  }

  private write<Reply>(
    { namespace, name, within }: { namespace: string; name: string; within?: CallerTransaction | undefined },
    send: (writer: RequestWriter) => Promise<Reply>,
  ): Promise<Reply> {
    if (within)
      return send({ session: this.database.callerSession(within), within, lockTimeoutMs: null, asOf: this.asOf() });
    return this.lane.run({
      namespace,
      names: [name],
      attempt: (database, { lockTimeoutMs, statementTimeoutMs }) => {
        const session: Session = {
          run: (statement, values) => database.run(statement, values, { statementTimeoutMs }),
        };
        return send({ session, within: null, lockTimeoutMs, asOf: this.asOf() });
      },
    });
  }
}
