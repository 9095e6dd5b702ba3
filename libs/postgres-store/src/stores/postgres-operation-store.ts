import {
  type ChangedTaskFilter,
  type ChangedTaskPage,
  type Clock,
  decideOperation,
  type DryRun,
  type EpochMs,
  isTaskId,
  type MadeOperationPage,
  type NamespaceReader,
  type NewOperation,
  type OperationChange,
  type OperationFilter,
  type OperationPage,
  type OperationPlan,
  type OperationRef,
  type OperationReply,
  type OperationStore,
  type Random,
  type StartOperationReply,
  type TaskOperation,
  type TroubledOperation,
  type UndoReach,
} from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { forgetApiKeys } from "../statements/api-keys/record-uses.js";
import { forgetAudit } from "../statements/audit/append-audit.js";
import { addOperation, countOpenOperations, startedUnderKey } from "../statements/operation-rows/add-operation.js";
import { changedTasks } from "../statements/operation-rows/changed-tasks.js";
import { changeOperation } from "../statements/operation-rows/change-operation.js";
import { dueOperations } from "../statements/operation-rows/due-operations.js";
import { forgetOperations, forgetOperationTasks } from "../statements/operation-rows/forget-operation-tasks.js";
import { lockForChange } from "../statements/operation-rows/lock-operation.js";
import { listOperations, readOperation } from "../statements/operation-rows/read-operations.js";
import { undoReach } from "../statements/undo/undo-reach.js";
import { tryDry } from "../reading/dry-run.js";
import { troubledOperations } from "../statements/operations/troubled-operations.js";
import { auditChange, auditStart } from "../writing/operation-audit.js";
import { makePage } from "../writing/operation-pages.js";

/** A page waits so long for another's lock, and each of its statements takes no longer than this, in milliseconds. */
const LOCK_MS = 50;
const TIMEOUT_MS = 2_000;

/** Rows that one statement forgets. */
const FORGET_LIMIT = 1_000;
/** How long operations, revoked keys and the audit are kept, in days. */
const KEPT_DAYS = 400;

export interface OperationStoreParts {
  /** For pages, too: they must not take one of the engine's connections. */
  reads: Pick<ReadPool, "run" | "transaction" | "of">;
  clock: Pick<Clock, "monotonicMs">;
  random: Random;
  /** Only for tests: the instant that the statements take for now. */
  asOf?: (() => EpochMs) | undefined;
}

/** Operations on many tasks as rows in Postgres, see {@link OperationStore}. */
export class PostgresOperationStore implements OperationStore {
  constructor(private readonly parts: OperationStoreParts) {}

  dryRun(plan: OperationPlan, { namespace, caller }: NamespaceReader): Promise<DryRun> {
    const { clock, reads } = this.parts;
    return tryDry({ session: reads.of(namespace, caller), clock, asOf: this.asOf() }, plan);
  }

  startedBefore(
    operation: Parameters<OperationStore["startedBefore"]>[0],
  ): ReturnType<OperationStore["startedBefore"]> {
    return knownStart(this.parts.reads.of(operation.namespace), operation);
  }

  start(operation: NewOperation, limits: { open: number }): Promise<StartOperationReply> {
    const work = (session: Session) => this.startIn(session, operation, limits);
    return this.parts.reads.of(operation.namespace).transaction(work, {});
  }

  async get({ namespace, id, caller }: OperationRef & NamespaceReader): Promise<TaskOperation | null> {
    if (!isTaskId(id)) return null;
    return (await this.parts.reads.of(namespace, caller).run(readOperation, { namespace, id }))[0] ?? null;
  }

  async list(filter: OperationFilter): Promise<OperationPage> {
    if (filter.before !== null && !isTaskId(filter.before)) return { operations: [], next: null };
    const reads = this.parts.reads.of(filter.namespace, filter.caller);
    const found = await reads.run(listOperations, { ...filter, limit: filter.limit + 1 });
    const operations = found.slice(0, filter.limit);
    return { operations, next: found.length > filter.limit ? operations.at(-1)!.id : null };
  }

  async tasksOf(filter: ChangedTaskFilter): Promise<ChangedTaskPage> {
    const { operationId, after, limit } = filter;
    if (!isTaskId(operationId) || (after !== null && !isTaskId(after))) return { tasks: [], next: null };
    const reads = this.parts.reads.of(filter.namespace, filter.caller);
    const found = await reads.run(changedTasks, { ...filter, limit: limit + 1 });
    const tasks = found.slice(0, limit);
    return { tasks, next: found.length > limit ? tasks.at(-1)!.id : null };
  }

  async undoReach({ namespace, id, caller }: OperationRef & NamespaceReader): Promise<UndoReach | null> {
    if (!isTaskId(id)) return null;
    const reads = this.parts.reads.of(namespace, caller);
    return (await reads.run(undoReach, { namespace, id, asOf: this.asOf() }))[0] ?? null;
  }

  async change(ref: OperationRef, change: OperationChange): Promise<OperationReply> {
    if (!isTaskId(ref.id)) return { outcome: "not_found" };
    return this.parts.reads
      .of(ref.namespace)
      .transaction((session) => this.changeIn(session, ref, change), { lockTimeoutMs: TIMEOUT_MS });
  }

  async due(): ReturnType<OperationStore["due"]> {
    return (await this.parts.reads.run(dueOperations, { asOf: this.asOf() }))[0]!;
  }

  makePage(id: string, { label, pageSize }: { label: string; pageSize: number }): Promise<MadeOperationPage | null> {
    const { clock, random } = this.parts;
    const context = { clock, random, asOf: this.asOf(), label, pageSize };
    return this.parts.reads.transaction((session) => makePage({ ...context, session }, id), {
      lockTimeoutMs: LOCK_MS,
      statementTimeoutMs: TIMEOUT_MS,
    });
  }

  troubled(): Promise<TroubledOperation[]> {
    return this.parts.reads.run(troubledOperations, { asOf: this.asOf() });
  }

  async forget(): Promise<boolean> {
    const asOf = this.asOf();
    const kept = { asOf, keptDays: KEPT_DAYS, limit: FORGET_LIMIT };
    const [tasks] = await this.parts.reads.run(forgetOperationTasks, { asOf, limit: FORGET_LIMIT });
    const [operations] = await this.parts.reads.run(forgetOperations, kept);
    const [entries] = await this.parts.reads.run(forgetAudit, kept);
    const [keys] = await this.parts.reads.run(forgetApiKeys, kept);
    return tasks! + operations! + entries! + keys! > 0;
  }

  private async startIn(
    session: Session,
    operation: NewOperation,
    limits: { open: number },
  ): Promise<StartOperationReply> {
    const known = await knownStart(session, operation);
    if (known) return known;
    const { namespace } = operation;
    const [open] = await session.run(countOpenOperations, { namespace, limit: limits.open });
    if (open! >= limits.open) return { outcome: "too_many", open: open! };
    const [started] = await session.run(addOperation, { ...operation, asOf: this.asOf() });
    if (!started) return (await knownStart(session, operation))!;
    await auditStart({ session, random: this.parts.random }, started, operation);
    return { outcome: "started", operation: started };
  }

  private async changeIn(session: Session, ref: OperationRef, change: OperationChange): Promise<OperationReply> {
    const [locked] = await session.run(lockForChange, { ...ref, asOf: this.asOf() });
    if (!locked) return { outcome: "not_found" };
    const { operation: before, now: at } = locked;
    const decided = decideOperation(change, before, at);
    if (decided === null) return { outcome: "state_conflict", operation: before };
    if (decided === before) return { outcome: "unchanged", operation: before };
    const [after] = await session.run(changeOperation, { ...decided, id: before.id, asOf: this.asOf() });
    const { actor, reason, kind } = change;
    const entry = { at, actor, action: `operation.${kind}`, reason } as const;
    await auditChange({ session, random: this.parts.random }, entry, { before, after: after! });
    return { outcome: "changed", operation: after! };
  }

  private asOf(): EpochMs | null {
    return this.parts.asOf?.() ?? null;
  }
}

/** What an idempotency key has started before; null: nothing, or the call has none. */
async function knownStart(
  session: Session,
  { namespace, idempotency }: Pick<NewOperation, "namespace" | "idempotency">,
): ReturnType<OperationStore["startedBefore"]> {
  if (idempotency === null) return null;
  const [known] = await session.run(startedUnderKey, { namespace, key: idempotency.key });
  if (!known) return null;
  const isSame = known.bodyHash === idempotency.bodyHash;
  return isSame ? { outcome: "existing", operation: known.operation } : { outcome: "key_reused" };
}
