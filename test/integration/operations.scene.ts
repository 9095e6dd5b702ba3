import { expect } from "@jest/globals";
import {
  type ClaimedTask,
  type Clock,
  type EpochMs,
  type MadeOperationPage,
  newTaskId,
  type NewOperation,
  type NewTask,
  type OperationChange,
  type OperationOptions,
  type OperationReply,
  SystemRandom,
  type Task,
  type TaskOperation,
} from "@tickwheel/core";
import type { ConnectionOptions, PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { create, joinNode, NAMESPACE, newType, Scene } from "./postgres-store.scene.js";

const random = new SystemRandom();

export const OPTIONS: OperationOptions = {
  includeOverdue: false,
  move: null,
  tag: null,
  rate: null,
  stopWhenFailing: null,
  atMost: 1_000_000,
};
export const HOUR = 3_600_000;

export interface OperationWish extends Partial<Omit<NewOperation, "options">> {
  action: NewOperation["action"];
  options?: Partial<OperationOptions>;
}

interface Its {
  scene: Scene;
  stores: PostgresStores;
  store: PostgresStores["operations"];
  owner: string;
  type: string;
  typeId: number;
  /** The namespace of the operations. */
  namespace: string;
}

/** Tasks of a type of their own, and operations on them, whose pages the test makes: no node runs. */
export class OperationScenes {
  private constructor(private readonly its: Readonly<Its>) {}

  static async open(scene: Scene, stores: PostgresStores): Promise<OperationScenes> {
    const type = `type-${Math.floor(random.next() * 1e12)}`;
    const own = { owner: await joinNode(stores), type, typeId: await newType(stores, type), namespace: NAMESPACE };
    return new OperationScenes({ scene, stores, ...own, store: stores.operations });
  }

  get scene(): Scene {
    return this.its.scene;
  }

  get stores(): PostgresStores {
    return this.its.stores;
  }

  get store(): PostgresStores["operations"] {
    return this.its.store;
  }

  get type(): string {
    return this.its.type;
  }

  /** The same tasks, and operations that take this instant for now. */
  at(now: EpochMs): OperationScenes {
    return new OperationScenes({ ...this.its, store: this.scene.open({ asOf: () => now }).operations });
  }

  /** The same, whose times are measured by this clock. */
  by(clock: Clock): OperationScenes {
    return new OperationScenes({ ...this.its, store: this.scene.open({ clock }).operations });
  }

  /** The same, through a door that stops its pages. */
  through({ connection }: { connection: ConnectionOptions }): OperationScenes {
    return new OperationScenes({ ...this.its, store: this.scene.open({ connection }).operations });
  }

  /** Operations of another namespace, which has no tasks. */
  in(namespace: string): OperationScenes {
    return new OperationScenes({ ...this.its, namespace });
  }

  /** The same stores with a type of its own, so that tests do not meet. */
  another(): Promise<OperationScenes> {
    return OperationScenes.open(this.scene, this.stores);
  }

  /** Tasks that are due in an hour, the oldest id first. */
  async tasks(count: number, wish: Partial<NewTask> = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let made = 0; made < count; made++) ids.push((await this.task(wish)).id);
    return ids.toSorted();
  }

  get typeId(): number {
    return this.its.typeId;
  }

  task(wish: Partial<NewTask> = {}): Promise<Task> {
    return create(this.stores, { due: { delayMs: HOUR }, ...wish, type: this.type, typeId: this.its.typeId });
  }

  get owner(): string {
    return this.its.owner;
  }

  async claim(ids: readonly string[]): Promise<ClaimedTask[]> {
    await this.query("UPDATE tickwheel.task SET due_at = now() WHERE id = ANY ($1)", [ids]);
    return this.claimDue(ids);
  }

  /** Claims those that are due. */
  async claimDue(ids: readonly string[]): Promise<ClaimedTask[]> {
    return (await this.stores.tasks.claim({ owner: this.owner, ids, claimAheadMs: 20 })).tasks;
  }

  async succeed(ids: readonly string[]): Promise<void> {
    const claimed = await this.claim(ids);
    await this.stores.tasks.settle(
      claimed.map(({ id, fence }) => ({
        kind: "succeeded" as const,
        id,
        owner: this.owner,
        fence,
        startedAt: Date.now(),
        result: null,
      })),
    );
  }

  async kill(ids: readonly string[]): Promise<void> {
    const claimed = await this.claim(ids);
    await this.stores.tasks.settle(
      claimed.map(({ id, fence }) => ({
        kind: "dead" as const,
        id,
        owner: this.owner,
        fence,
        startedAt: Date.now(),
        reason: "NON_RETRYABLE" as const,
        error: "no",
      })),
    );
  }

  /** Their attempt fails, and they wait for the next one. */
  async fail(ids: readonly string[]): Promise<void> {
    await this.failClaimed(await this.claim(ids));
  }

  async failClaimed(claimed: readonly ClaimedTask[]): Promise<void> {
    await this.stores.tasks.settle(
      claimed.map(({ id, fence }) => ({
        kind: "retry" as const,
        id,
        owner: this.owner,
        fence,
        startedAt: Date.now(),
        delayMs: HOUR,
        error: "no",
      })),
    );
  }

  async pause(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.stores.tasks.pause({ target: { namespace: NAMESPACE, id }, actor: "test" });
  }

  async cancel(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "test" });
  }

  plan({ options, ...wish }: OperationWish): NewOperation {
    return {
      id: newTaskId(Date.now(), 0, random),
      namespace: this.its.namespace,
      filter: { type: this.type },
      actor: "key:1",
      reason: null,
      estimate: null,
      idempotency: null,
      ...wish,
      options: { ...OPTIONS, ...options },
    };
  }

  async start(wish: OperationWish): Promise<TaskOperation> {
    const reply = await this.store.start(this.plan(wish), { open: 1_000 });
    if (reply.outcome !== "started") throw new Error(`It was not started: ${reply.outcome}`);
    return reply.operation;
  }

  page({ id }: { id: string }, pageSize = 500): Promise<MadeOperationPage | null> {
    return this.store.makePage(id, { label: "node-1", pageSize });
  }

  /** Makes its next page at once, whatever its rest. */
  async dueNow({ id }: { id: string }, pageSize = 500): Promise<MadeOperationPage | null> {
    await this.query("UPDATE tickwheel.operation SET next_at = least(next_at, created_at) WHERE id = $1", [id]);
    return this.page({ id }, pageSize);
  }

  /** Makes pages until the operation is over or on hold, whatever its rest. */
  async carryOut({ id }: { id: string }, pageSize = 500): Promise<TaskOperation> {
    for (let pages = 0; pages < 1_000; pages++)
      if ((await this.dueNow({ id }, pageSize)) === null) return this.read({ id });
    throw new Error("The operation makes pages for ever");
  }

  /** Starts an operation and carries it out. */
  async run(wish: OperationWish, pageSize?: number): Promise<TaskOperation> {
    return this.carryOut(await this.start(wish), pageSize);
  }

  change({ id }: { id: string }, kind: OperationChange["kind"]): Promise<OperationReply> {
    const change = { kind, actor: "key:2", reason: "because", overdue: "leave" as const };
    return this.store.change({ namespace: this.its.namespace, id }, change);
  }

  async read({ id }: { id: string }): Promise<TaskOperation> {
    return (await this.store.get({ namespace: this.its.namespace, id }))!;
  }

  async get(id: string): Promise<Task> {
    return (await this.stores.tasks.get(NAMESPACE, id))!;
  }

  all(ids: readonly string[]): Promise<Task[]> {
    return Promise.all(ids.map((id) => this.get(id)));
  }

  async states(ids: readonly string[]): Promise<string[]> {
    return (await this.all(ids)).map(({ state }) => state);
  }

  /** The last entry of a task's journal, as `scheduled>paused PAUSED operation:…`. */
  async lastEntry(id: string): Promise<string> {
    const entry = (await this.stores.tasks.journal({ namespace: NAMESPACE, id, limit: 200 }))!.entries.at(-1)!;
    return `${entry.from}>${entry.to} ${entry.reason} ${entry.actor}`;
  }

  async remembered({ id }: { id: string }): Promise<string[]> {
    const filter = { namespace: NAMESPACE, operationId: id, outcomes: [], limit: 10_000, after: null };
    return (await this.store.tasksOf(filter)).tasks.map((task) => task.id);
  }

  /** What the audit tells of an operation, the oldest first. */
  audited({ id }: { id: string }): Promise<Record<string, unknown>[]> {
    return this.query("SELECT * FROM tickwheel.audit WHERE target = $1 ORDER BY at, id", [`operation:${id}`]);
  }

  async query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = await this.scene.client();
    try {
      return (await client.query<Record<string, unknown>>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Until somebody waits for another's lock. */
  async untilWaiting(): Promise<void> {
    await eventually(async () => {
      expect(await this.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).not.toEqual([]);
    });
  }

  /** An open transaction of somebody else's. */
  async begin(): Promise<Client> {
    const client = await this.scene.client();
    await client.query("BEGIN");
    return client;
  }

  /** Holds the rows of tasks until this transaction ends. */
  async holding(ids: readonly string[]): Promise<Client> {
    const client = await this.begin();
    await client.query("SELECT FROM tickwheel.task WHERE id = ANY ($1) FOR UPDATE", [ids]);
    return client;
  }
}

/** A database, the stores of one node, and operations on its tasks. */
export async function startOperations() {
  const scene = await Scene.start();
  try {
    const stores = scene.open();
    return { scene, stores, operations: await OperationScenes.open(scene, stores), stop: () => scene.stop() };
  } catch (error) {
    await scene.stop();
    throw error;
  }
}
