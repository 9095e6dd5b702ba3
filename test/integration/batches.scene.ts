import {
  type Batch,
  type BootId,
  type FollowUp,
  type Json,
  jsonTextOf,
  type NewBatch,
  type NewTask,
  newTaskId,
  SystemRandom,
  type Task,
} from "@tickwheel/core";
import { reviewBy } from "@tickwheel/engine";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { joinNode, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const random = new SystemRandom();
const TYPE = "settle";

export const LIMITS = { open: 1_000, members: 1_000_000 };

/** Batches of a test, made and ended by the store alone: no node runs. */
export class BatchScenes {
  private constructor(
    readonly stores: PostgresStores,
    readonly typeId: number,
    readonly owner: BootId,
  ) {}

  static async open(stores: PostgresStores): Promise<BatchScenes> {
    return new BatchScenes(stores, await newType(stores, TYPE), await joinNode(stores));
  }

  followUp(payload: Json = null): FollowUp {
    const { id: _id, key: _key, onConflict: _policy, ...task } = newTask({ typeId: this.typeId });
    return { ...task, type: TYPE, payload: jsonTextOf(payload) };
  }

  async make(
    batch: Partial<NewBatch> = {},
    members: readonly NewTask[] = [],
  ): Promise<{ batch: Batch; tasks: Task[] }> {
    const reply = await this.stores.batches.create(
      {
        batch: {
          id: newTaskId(Date.now(), 0, random),
          namespace: NAMESPACE,
          name: null,
          shards: null,
          onComplete: null,
          onSuccess: null,
          deadlineAt: null,
          failFast: false,
          retryDead: false,
          isSealed: false,
          actor: "test",
          ...batch,
        },
        members,
      },
      LIMITS,
    );
    if (reply.outcome === "exists") throw new Error("there is a batch of this name");
    return reply;
  }

  member(task: Partial<NewTask> = {}): NewTask {
    return newTask({ typeId: this.typeId, ...task });
  }

  members(count: number): NewTask[] {
    return Array.from({ length: count }, () => this.member());
  }

  async add(id: string, members: readonly NewTask[]): Promise<string> {
    const reply = await this.stores.batches.add({ namespace: NAMESPACE, id, members, idempotency: null }, LIMITS);
    return reply.outcome;
  }

  async claim(ids: readonly string[]) {
    return (await this.stores.tasks.claim({ owner: this.owner, ids, claimAheadMs: 20 })).tasks;
  }

  /** Claims these members and ends them well. */
  async succeed(ids: readonly string[], spawned: readonly NewTask[] = []): Promise<void> {
    const claimed = await this.claim(ids);
    const settlements = claimed.map(({ id, owner, fence }, index) => ({
      kind: "succeeded" as const,
      id,
      owner,
      fence,
      startedAt: Date.now(),
      result: null,
      isMember: true,
      ...(index === 0 && { spawned }),
    }));
    await this.stores.tasks.settle(settlements);
  }

  /** Claims these members and ends them dead. */
  async kill(ids: readonly string[]): Promise<void> {
    const claimed = await this.claim(ids);
    await this.stores.tasks.settle(
      claimed.map(({ id, owner, fence }) => ({
        kind: "dead" as const,
        id,
        owner,
        fence,
        startedAt: Date.now(),
        reason: "NON_RETRYABLE" as const,
        error: "no",
      })),
    );
  }

  review(id: string) {
    return this.stores.batches.review(id, reviewBy(LIMITS.members, random));
  }

  async get(id: string): Promise<Batch> {
    return (await this.stores.batches.get({ namespace: NAMESPACE, id }))!;
  }

  async states(id: string): Promise<Record<string, number>> {
    const { tasks } = await this.stores.batches.members({
      namespace: NAMESPACE,
      batchId: id,
      states: [],
      limit: 1_000,
      after: null,
    });
    const counts: Record<string, number> = {};
    for (const { state } of tasks) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }
}

/** A database, the stores of one node, and their batches. */
export async function startBatches() {
  const scene = await Scene.start();
  try {
    const stores = scene.open();
    return { scene, stores, batches: await BatchScenes.open(stores), stop: () => scene.stop() };
  } catch (error) {
    await scene.stop();
    throw error;
  }
}
