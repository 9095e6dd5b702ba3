import assert from "node:assert/strict";
import {
  FIRST_VITALS,
  type BootId,
  type ClaimedTask,
  type CreateResult,
  type DeliveryKind,
  type ExecutionRef,
  type JournalEntry,
  type JournalPage,
  type JournalRequest,
  type Json,
  type Leadership,
  newBootId,
  newTaskId,
  type NewTask,
  slotOfKey,
  SystemRandom,
  type Task,
  type TaskType,
  jsonTextOf,
} from "@tickwheel/core";
import type { TaskStoreSubject } from "./subject.js";

const random = new SystemRandom();

/** The fields of a new task that differ from the defaults of {@link Scenario.newTask}. */
export interface NewTaskWish extends Partial<Omit<NewTask, "payload">> {
  payload?: Json;
  /** The slot of an unkeyed task. */
  slot?: number;
}

/** The setting of one case: its own namespace and type, and a live node. */
export class Scenario {
  private constructor(
    readonly subject: TaskStoreSubject,
    readonly type: TaskType,
    readonly node: BootId,
  ) {}

  static async open(subject: TaskStoreSubject, delivery: DeliveryKind = "handler"): Promise<Scenario> {
    const namespace = subject.freshNamespace();
    const type = await subject.store().ensureType({ namespace, type: "order.cancel", delivery });
    return new Scenario(subject, type, await joinNode(subject, [type.id]));
  }

  get namespace(): string {
    return this.type.namespace;
  }

  get store() {
    return this.subject.store();
  }

  now(): number {
    return this.subject.now();
  }

  async advance(delayMs: number): Promise<void> {
    await this.subject.advance(delayMs);
  }

  join(): Promise<BootId> {
    return joinNode(this.subject, [this.type.id]);
  }

  /** A task to be created: due now, unkeyed, three attempts, unless `given` says otherwise. */
  newTask({ slot, payload = { order: 7 }, ...given }: NewTaskWish = {}): NewTask {
    const key = given.key ?? null;
    const place =
      key === null ? (slot ?? Math.floor(random.next() * 4_096)) : slotOfKey(this.namespace, this.type.type, key);
    return {
      id: newTaskId(this.now(), place, random),
      typeId: this.type.id,
      key,
      payload: jsonTextOf(payload),
      due: { delayMs: 0 },
      startDeadlineMs: null,
      onConflict: "reject",
      priority: 5,
      maxAttempts: 3,
      backoff: { kind: "fixed", delayMs: 1_000 },
      timeoutMs: 60_000,
      delivery: null,
      actor: "creator",
      ...given,
    };
  }

  /** Creates tasks in one request. */
  async createAll(...tasks: NewTask[]): Promise<CreateResult[]> {
    const reply = await this.store.create({ namespace: this.namespace, tasks });
    assert.equal(reply.kind, "written");
    return reply.kind === "written" ? reply.results : [];
  }

  /** Creates one task, whose outcome must be `created`. */
  async create(given: NewTaskWish = {}): Promise<Task> {
    return accepted((await this.createAll(this.newTask(given)))[0], "created");
  }

  /** Claims ids for a node and answers the claimed tasks. */
  async claim(ids: readonly string[], by: { owner?: BootId; claimAheadMs?: number } = {}): Promise<ClaimedTask[]> {
    const reply = await this.store.claim({ owner: by.owner ?? this.node, ids, claimAheadMs: by.claimAheadMs ?? 0 });
    assert.equal(reply.fenced, false);
    return reply.tasks;
  }

  /** A task that this node, or another, has just claimed. */
  async running(given: Parameters<Scenario["newTask"]>[0] = {}, owner: BootId = this.node): Promise<ClaimedTask> {
    const task = await this.create(given);
    return this.reclaim(task.id, owner);
  }

  /** Claims a task that must be claimable. */
  async reclaim(id: string, owner: BootId = this.node): Promise<ClaimedTask> {
    const [claimed] = await this.claim([id], { owner });
    assert.ok(claimed, "the task is claimable");
    return claimed;
  }

  /** Ends an execution with success. */
  async succeed(execution: ExecutionRef, result: Json = null): Promise<void> {
    const startedAt = this.now();
    const settlement = { ...refOf(execution), startedAt, kind: "succeeded", result: JSON.stringify(result) } as const;
    const [reply] = await this.store.settle([settlement]);
    assert.equal(reply?.state, "succeeded");
  }

  /** Ends an execution whose condition said no. */
  async skip(execution: ExecutionRef): Promise<void> {
    const [reply] = await this.store.settle([{ ...refOf(execution), startedAt: this.now(), kind: "skipped" }]);
    assert.equal(reply?.state, "succeeded");
  }

  /** Ends an execution with a failure after which attempts are left. */
  async fail(execution: ExecutionRef, delayMs = 0): Promise<string | null> {
    const startedAt = this.now();
    const settlement = { ...refOf(execution), startedAt, kind: "retry", delayMs, error: "no answer" } as const;
    const [reply] = await this.store.settle([settlement]);
    return reply?.state ?? null;
  }

  /** Ends an execution whose handler puts its task off. */
  async snooze(execution: ExecutionRef, delayMs = 0): Promise<string | null> {
    const settlement = { ...refOf(execution), startedAt: this.now(), kind: "snoozed", delayMs } as const;
    const [reply] = await this.store.settle([settlement]);
    return reply?.state ?? null;
  }

  /** Ends an execution with a failure that makes the task dead. */
  async bury(execution: ExecutionRef): Promise<string | null> {
    const startedAt = this.now();
    const settlement = {
      ...refOf(execution),
      startedAt,
      kind: "dead",
      reason: "ATTEMPTS",
      error: "no answer",
    } as const;
    const [reply] = await this.store.settle([settlement]);
    return reply?.state ?? null;
  }

  cancel(id: string, actor = "canceller") {
    return this.store.cancel({ target: { namespace: this.namespace, id }, actor });
  }

  pause(id: string) {
    return this.store.pause({ target: { namespace: this.namespace, id }, actor: "operator" });
  }

  resume(id: string) {
    return this.store.resume({ target: { namespace: this.namespace, id }, actor: "operator" });
  }

  retry(id: string) {
    return this.store.retry({ namespace: this.namespace, id, actor: "operator" });
  }

  /** The term of this node, which takes it if another node holds it. */
  async lead(): Promise<Leadership> {
    const { term, holder, beat } = await this.subject.cluster().readTerm();
    if (holder === this.node) return { term, holder };
    const leader = await this.subject.cluster().takeTerm(this.node, { term, holder, beat });
    assert.ok(leader, "the term is free to take");
    return leader;
  }

  async reap(owner: BootId, maxCrashes = 3) {
    return this.store.reap({ leader: await this.lead(), owners: [owner], maxCrashes, limit: 100 });
  }

  /** Reads a task, which must exist. */
  async get(id: string): Promise<Task> {
    const task = await this.store.get(this.namespace, id);
    assert.ok(task, "the task is there");
    return task;
  }

  async state(id: string): Promise<string> {
    return (await this.get(id)).state;
  }

  /** All of the task's journal, page by page. */
  async journal(id: string, limit = 200): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = [];
    for (let after: number | undefined; ;) {
      const page = await this.journalPage(id, { limit, after });
      entries.push(...page.entries);
      if (page.next === null) return entries;
      after = page.next;
    }
  }

  async journalPage(id: string, place: Pick<JournalRequest, "limit" | "after">): Promise<JournalPage> {
    const page = await this.store.journal({ namespace: this.namespace, id, ...place });
    assert.ok(page, "the task has a journal");
    return page;
  }

  /** The task's journal as `from>to`, oldest first. */
  async steps(id: string): Promise<string[]> {
    return (await this.journal(id)).map((entry) => `${entry.from ?? "none"}>${entry.to}`);
  }

  /** The task that holds a key. */
  async holder(key: string): Promise<Task | null> {
    const page = await this.store.find({ namespace: this.namespace, key, live: true, limit: 10 });
    assert.ok(page.tasks.length <= 1, "one task holds a key");
    return page.tasks[0] ?? null;
  }
}

/** The reference of an execution, without other fields. */
export function refOf({ id, owner, fence }: ExecutionRef): ExecutionRef {
  return { id, owner, fence };
}

/** Three wrong references to an execution. */
export function wrongRefs(execution: ExecutionRef, otherNode: BootId): ExecutionRef[] {
  const ref = refOf(execution);
  return [
    { ...ref, owner: otherNode },
    { ...ref, fence: ref.fence + 1 },
    { ...ref, fence: ref.fence - 1 },
  ];
}

export function accepted(result: CreateResult | undefined, outcome: string): Task {
  assert.equal(result?.outcome, outcome);
  assert.ok(result && "task" in result);
  return result.task;
}

export async function joinNode(
  subject: TaskStoreSubject,
  typeIds: readonly number[] = [],
  bootId = newBootId(random),
): Promise<BootId> {
  await subject.cluster().join({ bootId, label: labelOf(bootId), version: "1.0.0", roles: ["engine"], typeIds });
  return bootId;
}

/** The label that the suite gives a node. No two nodes of a database have the same one. */
export function labelOf(bootId: BootId): string {
  return `10.0.0.1:${bootId}`;
}

/** Makes a node dead: its last beat tells of a blocked loop, and then it is declared dead. */
export async function killBlockedNode(
  scene: Scenario,
  bootId: BootId,
  lastStarted: string | null = null,
): Promise<void> {
  const cluster = scene.subject.cluster();
  const blocked = { forMs: 59_000, running: [{ type: "order.cancel", count: 2 }], lastStarted };
  const beat = await cluster.beat(bootId, { ...FIRST_VITALS, blocked });
  assert.equal(await cluster.declareDead({ bootId, beat: beat!.beat, leader: await scene.lead() }), "dead");
}

/** Makes a node dead by a clean goodbye. */
export async function killNode(subject: TaskStoreSubject, bootId: BootId): Promise<void> {
  await subject.cluster().leave(bootId);
}

export function unknownBootId(): BootId {
  return newBootId(random);
}
