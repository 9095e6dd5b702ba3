import { JSON_NULL, jsonTextOf } from "@tickwheel/core";
import { CONSUMER } from "@tickwheel/core";
import type { BootId, Due, EpochMs, Finder, NewTask, Settlement } from "@tickwheel/core";
import {
  cancelledRow,
  claimedRow,
  createdRow,
  editedRow,
  expiredRow,
  leaseEndedRow,
  mergedRow,
  pausedRow,
  reapedRow,
  releasedRow,
  resumedRow,
  retriedRow,
  settledRow,
} from "@tickwheel/testing";
import type { StatementName } from "@tickwheel/testing";
import type { TaskRow } from "@tickwheel/testing";
import { collectedIn } from "../src/rules/merge-rules.js";
import type { History, HistoryOptions } from "../src/history/history.js";
import type {
  Fault,
  HistoryEvent,
  Instant,
  LimitAnswered,
  NodeAtRest,
  NodeEvent,
  RowChanged,
} from "../src/history/history-event.js";

/** What a created task is like, where it matters. */
export interface TaskTraits {
  due?: Due;
  key?: string;
  idempotencyKey?: string;
  maxAttempts?: number;
  startDeadlineMs?: number;
}

type Ending =
  | { kind: "succeeded" }
  | { kind: "retry"; delayMs: number }
  | { kind: "snoozed"; delayMs: number }
  | { kind: "dead" };
type Untimed<E> = E extends HistoryEvent ? Omit<E, keyof Instant> : never;

/** The one type of all built tasks; its handlers are transactional. */
const TYPE = { id: 1, namespace: "n", type: "t", delivery: "handler" as const };
const MAX_CRASHES = 3;
const DEATH = { maxCrashes: MAX_CRASHES, blocked: null, error: "its nodes died" };

/**
 * Builds histories for the checker's specs: each call is what happens next, and by itself all of it is as it should be,
 * because rows change by the very transitions of the memory store. A fault is planted by saying something that should
 * not have been said, or by forging.
 *
 * @example new HistoryBuilder().create("a", { due: { delayMs: 9_000 } }).wait(9_000).claim("a", "n1").start("a").succeed("a").build()
 */
export class HistoryBuilder {
  private readonly events: HistoryEvent[] = [];
  private readonly rows = new Map<string, TaskRow>();
  private readonly now: Instant = { at: 1_767_225_600_000, monoMs: 0 };
  private asks = 0;
  private commits = 0;

  constructor(private readonly options: Partial<HistoryOptions> = {}) {}

  build(): History {
    return { events: [...this.events], options: { transactionalTypeIds: [TYPE.id], ...this.options } };
  }

  get at(): EpochMs {
    return this.now.at;
  }

  row(id: string): TaskRow {
    const row = this.rows.get(id);
    if (!row) throw new Error(`There is no task ${id}`);
    return row;
  }

  /** Both clocks go on. */
  wait(ms: number): this {
    this.now.at += ms;
    this.now.monoMs += ms;
    return this;
  }

  /** Something happens now. */
  tell(event: Untimed<HistoryEvent>): this {
    this.events.push({ ...event, ...this.now } as HistoryEvent);
    return this;
  }

  began(fault: Fault): this {
    if (fault.name === "clock-step") this.now.at += fault.stepMs;
    return this.tell({ kind: "fault-began", fault });
  }

  /** The database goes on from an earlier commit; what came after it is gone. */
  failover(keptCommit: number): this {
    this.rows.clear();
    for (const event of this.events) {
      if (event.kind !== "row-changed" || event.commit! > keptCommit) continue;
      if (event.after) this.rows.set(event.after.id, event.after);
      else this.rows.delete(event.before!.id);
    }
    return this.began({ name: "failover", keptCommit });
  }

  over(fault: Fault): this {
    return this.tell({ kind: "fault-ended", fault });
  }

  node(kind: NodeEvent["kind"], ...bootIds: BootId[]): this {
    for (const bootId of bootIds) this.tell({ kind, bootId });
    return this;
  }

  /** A node is killed, and its last beat told a blocked loop. */
  blockedDeath(bootId: BootId): this {
    return this.began({ name: "crash", bootId }).tell({ kind: "declared-dead", bootId, wasBlocked: true });
  }

  /** Written, and the caller has its answer. */
  create(id: string, traits: TaskTraits = {}): this {
    const { idempotencyKey = null } = traits;
    return this.write(id, traits).tell({
      kind: "create-acknowledged",
      taskIds: [id],
      idempotencyKey,
      commit: this.commits,
    });
  }

  /** Written, but the caller is told nothing. */
  write(id: string, traits: TaskTraits = {}): this {
    const after = createdRow(newTask(id, traits), TYPE, this.at);
    return this.change("create", { before: null, after });
  }

  edit(id: string, due: Due): this {
    this.move("edit", id, (row) => editedRow(row, { changes: { due } }, this.at));
    const { version, dueAt } = this.row(id);
    return this.tell({ kind: "edit-acknowledged", taskId: id, version, dueAt, commit: this.commits });
  }

  /** Merged, and the caller has its answer. */
  merge(id: string, item: string): this {
    return this.mergeUnheard(id, item).mergeHeard(id, item);
  }

  mergeHeard(id: string, item: string): this {
    return this.tell({ kind: "merge-acknowledged", taskId: id, item, commit: this.commits });
  }

  /** Merged, but the caller is told nothing. */
  mergeUnheard(id: string, item: string): this {
    return this.move("create", id, (row) => {
      const { items, count } = collectedIn(row.payload);
      const payload = jsonTextOf({ items: [...items, item], count: count + 1 });
      return mergedRow(row, { payload, tasks: [newTask(id, { due: { delayMs: 9_000 } })] }, this.at);
    });
  }

  cancel(id: string): this {
    this.move("cancel", id, (row) => cancelledRow(row, { actor: "test", reason: "REQUESTED" }, this.at));
    const { fence, state } = this.row(id);
    const outcome = state === "cancelled" ? "cancelled" : "cancel_requested";
    return this.tell({ kind: "cancel-acknowledged", taskId: id, outcome, fence, commit: this.commits });
  }

  /** Paused, and the caller has its answer. */
  pause(id: string): this {
    this.move("pause", id, (row) => pausedRow(row, this.at));
    const { version } = this.row(id);
    return this.tell({ kind: "pause-acknowledged", taskId: id, version, commit: this.commits });
  }

  /** A caller asks to pause the type, or a key of it, for so long, and is told at once that every node obeys. */
  pauseType(forMs: number, key: string | null = null): this {
    this.askType(key);
    const ask = this.asks;
    return this.tell({ kind: "pause-answered", typeId: TYPE.id, key, ask, until: this.at + forMs });
  }

  /**
   * A caller asks to pause or to resume the type, or a key of it: that is written, and the caller is told nothing yet.
   */
  askType(key: string | null = null): this {
    this.askTypeUnwritten(key);
    return this.tell({ kind: "pause-written", typeId: TYPE.id, key, ask: this.asks });
  }

  /** The same, and nobody knows when it will be written. */
  askTypeUnwritten(key: string | null = null): this {
    return this.tell({ kind: "pause-asked", typeId: TYPE.id, key, ask: ++this.asks });
  }

  /** A caller asks to limit the type, and is told at once that every node obeys. */
  limitType(limit: Partial<Pick<LimitAnswered, "maxRunning" | "rate">>): this {
    this.askLimit();
    const none = { maxRunning: null, rate: null };
    return this.tell({ kind: "limit-answered", typeId: TYPE.id, ask: this.asks, ...none, ...limit });
  }

  /** A caller asks to limit the type otherwise, and is told nothing yet. */
  askLimit(): this {
    this.askLimitUnwritten();
    return this.tell({ kind: "limit-written", typeId: TYPE.id, ask: this.asks });
  }

  /** The same, and nobody knows when it will be written. */
  askLimitUnwritten(): this {
    return this.tell({ kind: "limit-asked", typeId: TYPE.id, ask: ++this.asks });
  }

  resume(id: string): this {
    return this.move("resume", id, (row) => resumedRow(row, this.at));
  }

  retry(id: string): this {
    this.move("retry", id, (row) => retriedRow(row, this.at));
    const { fence } = this.row(id);
    return this.tell({ kind: "retry-acknowledged", taskId: id, fence, commit: this.commits });
  }

  claim(id: string, owner: BootId): this {
    return this.move("claim", id, (row) => claimedRow(row, { owner, claimAheadMs: 5 }, this.at));
  }

  /** Pulled for a consumer, who is told nothing yet. */
  pull(id: string, { consumer = "c1", leaseMs = 2_000 } = {}): this {
    this.move("leases.pull", id, (row) => claimedRow(row, { owner: CONSUMER, claimAheadMs: 0 }, this.at));
    return this.lease(id, { consumer, leaseMs });
  }

  /** A consumer's lease lasts for so long from now. */
  lease(id: string, { consumer = "c1", leaseMs = 2_000 } = {}): this {
    const { fence } = this.row(id);
    return this.tell({ kind: "leased", taskId: id, fence, consumer, until: this.at + leaseMs, commit: this.commits });
  }

  /** A consumer is given the task that was pulled for it. */
  give(id: string, consumer = "c1"): this {
    return this.tell({ kind: "pull-answered", taskId: id, fence: this.row(id).fence, consumer });
  }

  /** A consumer is told that its success counts. */
  praise(id: string, given: { fence?: number; isReplayed?: boolean } = {}): this {
    const { fence } = this.row(id);
    return this.tell({ kind: "success-answered", taskId: id, fence, consumer: "c1", isReplayed: false, ...given });
  }

  endLease(id: string): this {
    return this.move("leases.endLeases", id, (row) => leaseEndedRow(row, "c1", this.at));
  }

  /** The handler of the running execution is called, or of an older one. */
  start(id: string, given: { finder?: Finder | null; fence?: number; bootId?: BootId; items?: string[] } = {}): this {
    const { finder = "wheel" } = given;
    const { dueAt, payload } = this.row(id);
    const { items } = collectedIn(payload);
    return this.tell({ kind: "started", ...this.execution(id), dueAt, items, ...given, finder });
  }

  end(id: string, given: { fence?: number; bootId?: BootId } = {}): this {
    return this.tell({ kind: "ended", ...this.execution(id), ...given });
  }

  abort(kind: "timed-out" | "drain-aborted", id: string): this {
    return this.tell({ kind, ...this.execution(id) });
  }

  /** In the commit that came last. */
  effect(id: string, given: { fence?: number; step?: string; commit?: number } = {}): this {
    return this.tell({ kind: "effect", ...this.execution(id), step: null, commit: this.commits, ...given });
  }

  /** The handler returns, and what became of the execution is written. */
  settle(id: string, ending: Ending): this {
    return this.end(id).settleLate(id, ending);
  }

  /** The effect and the completion are one commit. */
  succeed(id: string): this {
    return this.settle(id, { kind: "succeeded" }).effect(id);
  }

  /** The same where its type keeps no success. */
  succeedForgotten(id: string): this {
    const before = this.row(id);
    const execution = this.execution(id);
    this.end(id).change("settle", { before, after: null });
    this.events.push({ ...(this.events.pop() as RowChanged), isForgotten: true });
    return this.tell({ kind: "effect", ...execution, step: null, commit: this.commits });
  }

  /** What became of an execution is written, whatever the handler does. */
  settleLate(id: string, ending: Ending): this {
    const settlement = { ...this.executionRef(id), ...told(ending), startedAt: this.at } as Settlement;
    return this.move("settle", id, (row) => settledRow(row, settlement, this.at));
  }

  release(id: string): this {
    return this.move("release", id, (row) => releasedRow(row, {}, this.at));
  }

  expire(id: string): this {
    return this.move("expire", id, (row) => expiredRow(row, this.at));
  }

  reap(...ids: string[]): this {
    for (const id of ids) this.move("reap", id, (row) => reapedRow(row, DEATH, this.at));
    return this;
  }

  /** Retention drops the row. */
  drop(id: string): this {
    return this.change("maintain", { before: this.row(id), after: null });
  }

  rest(given: { isEnd?: boolean; nodes?: Partial<NodeAtRest>[] } = {}): this {
    const empty: NodeAtRest = {
      bootId: "n1",
      isStopped: false,
      typeIds: [TYPE.id],
      entries: [],
      timers: 0,
      claimsInDoubt: [],
      degraded: [],
    };
    const nodes = (given.nodes ?? [{}]).map((node) => ({ ...empty, ...node }));
    return this.tell({ kind: "rest", isEnd: given.isEnd ?? true, rows: [...this.rows.values()], nodes });
  }

  /** What happened last is told otherwise; of a change of a row, its `after`, which also is the row from now on. */
  forge(changed: Partial<TaskRow> | ((event: HistoryEvent) => HistoryEvent)): this {
    const place = this.events.findLastIndex(({ kind }) => typeof changed === "function" || kind === "row-changed");
    const event = this.events[place]!;
    if (typeof changed === "function") this.events[place] = changed(event);
    else if (event.kind === "row-changed") {
      const after = { ...event.after!, ...changed };
      this.events[place] = { ...event, after };
      this.rows.set(after.id, after);
    }
    return this;
  }

  private move(statement: StatementName, id: string, next: (row: TaskRow) => TaskRow | null): this {
    const before = this.row(id);
    const after = next(before);
    if (after === null) throw new Error(`${statement} is refused: task ${id} is ${before.state}`);
    return this.change(statement, { before, after });
  }

  private change(statement: StatementName, { before, after }: Pick<RowChanged, "before" | "after">): this {
    const isSettling = statement === "settle" || statement === "release";
    const execution = isSettling && before?.owner ? { owner: before.owner, fence: before.fence } : null;
    const owners = statement === "reap" && before?.owner ? [before.owner] : [];
    if (after) this.rows.set(after.id, after);
    else this.rows.delete(before!.id);
    this.commits += 1;
    return this.tell({ kind: "row-changed", statement, execution, owners, before, after, commit: this.commits });
  }

  private execution(id: string): { taskId: string; fence: number; bootId: BootId } {
    const { fence, owner } = this.row(id);
    return { taskId: id, fence, bootId: owner ?? "n1" };
  }

  private executionRef(id: string): { id: string; fence: number; owner: BootId | null } {
    const { fence, owner } = this.row(id);
    return { id, fence, owner };
  }
}

function told(ending: Ending): object {
  if (ending.kind === "succeeded") return { ...ending, result: null };
  return ending.kind === "dead" ? { ...ending, reason: "ATTEMPTS", error: "e" } : { ...ending, error: "e" };
}

function newTask(id: string, { due = { delayMs: 0 }, startDeadlineMs, key, maxAttempts = 3 }: TaskTraits): NewTask {
  return {
    id,
    typeId: TYPE.id,
    key: key ?? null,
    payload: JSON_NULL,
    due,
    startDeadlineMs: startDeadlineMs ?? null,
    onConflict: "reject",
    priority: 5,
    maxAttempts,
    backoff: { kind: "fixed", delayMs: 0 },
    timeoutMs: 30_000,
    delivery: null,
    actor: "test",
  };
}
