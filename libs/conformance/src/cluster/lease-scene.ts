import assert from "node:assert/strict";
import {
  CONSUMER,
  type EndedLease,
  type ExecutionRef,
  type ExtendReply,
  type HeldLease,
  type LeaseRef,
  type LeaseStore,
  MAX_LEASE_MS,
  type PulledTask,
  type PullPlace,
  type PullReply,
  type PullRequest,
} from "@tickwheel/core";
import { type NewTaskWish, refOf, Scenario } from "../subject/scenario.js";
import type { TaskStoreSubject } from "../subject/subject.js";
import { SettingScene } from "./setting-scene.js";

/** How long the leases of the scenes last, in milliseconds. */
export const LEASE_MS = 30_000;
/** As many as there may be, those of other cases included. */
const ALL = 10_000;

/** A pull for one consumer: how many tasks it asks for, and on what terms. */
type Pull = Partial<PullPlace & Omit<PullRequest, "places"> & { most: number }>;

/** A scenario whose type is pulled by consumers. */
export class LeaseScene {
  readonly setting: SettingScene;

  constructor(readonly scene: Scenario) {
    this.setting = new SettingScene(scene);
  }

  static async open(subject: TaskStoreSubject): Promise<LeaseScene> {
    return new LeaseScene(await Scenario.open(subject, "pull"));
  }

  get store(): LeaseStore {
    return this.scene.subject.leases();
  }

  /** By default up to ten tasks of the scenario's type, for `worker`. */
  pull({ most = 10, leaseMs = LEASE_MS, consumer = "worker", ...given }: Pull = {}): Promise<PullReply> {
    const places = Array.from({ length: most }, () => ({ leaseMs, consumer }));
    return this.store.pull({ typeId: this.scene.type.id, notBefore: null, ...given, places });
  }

  /** The ids of what a pull takes. */
  async pulled(given: Pull = {}): Promise<string[]> {
    return idsOf(await this.pull(given));
  }

  /** A task that has just been pulled; all others that are due are pulled with it. */
  async running(wish: NewTaskWish = {}, given: Pull = {}): Promise<PulledTask> {
    const { id } = await this.scene.create(wish);
    return this.repull(id, given);
  }

  /** Pulls a task that must be there to pull. */
  async repull(id: string, given: Pull = {}): Promise<PulledTask> {
    const { tasks } = await this.pull(given);
    const task = tasks.find((one) => one.id === id);
    assert.ok(task, "the task is there to pull");
    return task;
  }

  extend({ id, fence }: LeaseRef, leaseMs = LEASE_MS): Promise<ExtendReply> {
    return this.store.extend({ id, fence, leaseMs });
  }

  /** Lets the leases that were just taken run out. */
  async outlast(): Promise<void> {
    await this.scene.advance(LEASE_MS + 1);
  }

  /** One look for leases that are over: those of the scenario's type that it has ended. */
  async end(limit = ALL): Promise<EndedLease[]> {
    const ended = await this.store.endLeases(limit);
    return ended.filter(({ typeId }) => typeId === this.scene.type.id);
  }

  /** Ends what leases other cases have left. */
  async endOthers(): Promise<void> {
    await this.scene.advance(MAX_LEASE_MS);
    await this.end();
  }

  held(limit = 100): Promise<HeldLease[]> {
    return this.store.heldLeases({ typeId: this.scene.type.id, limit });
  }

  /** The ids of the tasks that consumers have. */
  async heldIds(): Promise<string[]> {
    return (await this.held()).map(({ id }) => id);
  }

  /**
   * A task that waits, with a lease of its first execution that nobody has deleted: that execution was completed as if
   * a node's handler had done it.
   */
  async withOldLease(): Promise<PulledTask> {
    const { scene } = this;
    const task = await this.running();
    const completion = { ...refOf(task), startedAt: scene.now(), result: null };
    await scene.subject.transaction((within) => scene.store.completeWithin(completion, within));
    assert.equal((await scene.retry(task.id)).outcome, "scheduled");
    return task;
  }
}

export function idsOf({ tasks }: PullReply): string[] {
  return tasks.map(({ id }) => id);
}

/** The same fence under another owner. */
export function ofConsumer({ id, fence }: LeaseRef): ExecutionRef {
  return { id, fence, owner: CONSUMER };
}
