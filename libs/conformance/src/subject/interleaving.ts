import assert from "node:assert/strict";
import {
  type BootId,
  type CallerTransaction,
  type DeathVerdict,
  type DeliveryKind,
  type ExecutionRef,
  type Leadership,
  RowsLockedError,
  type Settlement,
  type SettleReply,
} from "@tickwheel/core";
import { refOf, Scenario, unknownBootId } from "./scenario.js";
import type { ClusterRow, ConformanceCase, InterleavingSubject, OpenGate } from "./subject.js";

export type InterleavingCase = ConformanceCase<InterleavingSubject>;

/** A caller's transaction that has done its work and stays open, with its locks. */
export interface OpenTransaction<T> {
  readonly result: T;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

/** A call that is under way and waits. */
export interface Waiting<T> {
  readonly reply: Promise<T>;
}

class RolledBack extends Error {}

/** A write that meets others' locks is sent again at most this often. */
const MAX_RESENDS = 50;

/**
 * The stage of a case that forces an order: transactions that stay open, gates, and statements that must wait or must
 * not.
 *
 * However the case ends, its gates are opened, its open transactions are rolled back and its waiting calls end, so that
 * it does not affect the next case. Nothing sleeps: each step is taken once the step before it is seen to wait.
 *
 * A store's own statement may give up waiting after its lock time-out and is then sent again. A statement in a caller's
 * transaction waits as long as it takes. So if the order of several waiters matters, they wait in transactions.
 */
export class Interleaving {
  readonly #closing: (() => Promise<unknown>)[] = [];
  readonly #waiting = new Set<Promise<unknown>>();

  private constructor(
    readonly subject: InterleavingSubject,
    readonly scene: Scenario,
  ) {}

  /** Makes the `run` of a case. */
  static of(
    run: (order: Interleaving, scene: Scenario) => Promise<void>,
    delivery?: DeliveryKind,
  ): InterleavingCase["run"] {
    return async (subject) => {
      const order = new Interleaving(subject, await Scenario.open(subject, delivery));
      try {
        await run(order, order.scene);
      } finally {
        await order.end();
      }
    };
  }

  get store() {
    return this.subject.store();
  }

  get cluster() {
    return this.subject.cluster();
  }

  /** Begins a caller's transaction, does `work` in it and leaves it open. */
  async begin<T>(work: (within: CallerTransaction) => Promise<T>): Promise<OpenTransaction<T>> {
    let finish = (_how: "commit" | "roll back"): void => {};
    const finished = new Promise<"commit" | "roll back">((resolve) => (finish = resolve));
    let over: Promise<unknown> = Promise.resolve();
    const result = await new Promise<T>((resolve, reject) => {
      over = this.subject.transaction(async (within) => {
        resolve(await work(within));
        if ((await finished) === "roll back") throw new RolledBack();
      });
      over.catch(reject);
    });
    const end = async (how: "commit" | "roll back"): Promise<void> => {
      finish(how);
      await over.catch((error: unknown) => assert.ok(error instanceof RolledBack, error as Error));
    };
    this.#closing.push(() => end("roll back"));
    return { result, commit: () => end("commit"), rollBack: () => end("roll back") };
  }

  /** Stops every statement that is about to write the task's row. */
  async holdWrites(taskId: string): Promise<OpenGate> {
    return this.keep(await this.subject.holdWrites(taskId));
  }

  async holdClusterWrites(row: ClusterRow): Promise<OpenGate> {
    return this.keep(await this.subject.holdClusterWrites(row));
  }

  /** Stops the next statement that changes tasks once its snapshot is taken. */
  async holdNextStatement(): Promise<OpenGate> {
    return this.keep(await this.subject.holdNextStatement());
  }

  /** Starts a call that must wait, and answers once it waits. */
  async waits<T>(work: () => Promise<T>): Promise<Waiting<T>> {
    const reply = this.follow(work());
    const abort = new AbortController();
    const failed = reply.then(() => assert.fail("it waits for nobody"));
    try {
      await Promise.race([this.subject.untilBlocked(this.#waiting.size, abort.signal), failed]);
    } finally {
      abort.abort();
      failed.catch(() => {});
    }
    return { reply };
  }

  /** The same in a caller's transaction, which is committed once the call is done. */
  waitsWithin<T>(work: (within: CallerTransaction) => Promise<T>): Promise<Waiting<T>> {
    return this.waits(() => this.subject.transaction(work));
  }

  /** Runs a call that must not wait for anybody, even if other calls wait. */
  async passes<T>(work: () => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const blocked = this.subject.untilBlocked(this.#waiting.size + 1, abort.signal);
    const failed = blocked.then(() => assert.fail("it waits for another's lock"));
    try {
      return await Promise.race([this.follow(work()), failed]);
    } finally {
      abort.abort();
      failed.catch(() => {});
    }
  }

  /** Takes the term from the node that holds it. */
  async lead(candidate: BootId = unknownBootId()): Promise<Leadership> {
    const leader = await this.cluster.takeTerm(candidate, await this.cluster.readTerm());
    assert.ok(leader, "nobody else takes the term meanwhile");
    return leader;
  }

  /** Has a leader declare a node dead by its present beat, again and again while a claim is in the way. */
  async declareDead(bootId: BootId, leader: Leadership): Promise<DeathVerdict> {
    const beat = (await this.cluster.readBeats()).find((row) => row.bootId === bootId)?.beat ?? NaN;
    for (let count = 1; ; count++) {
      const verdict = await this.cluster.declareDead({ bootId, beat, leader });
      if (verdict !== "busy" || count === MAX_RESENDS) return verdict;
    }
  }

  /** Settles one execution, again and again while others hold its row. */
  async settle(settlement: Settlement): Promise<SettleReply> {
    for (let count = 1; ; count++) {
      try {
        return (await this.store.settle([settlement]))[0]!;
      } catch (error) {
        if (!(error instanceof RowsLockedError) || count === MAX_RESENDS) throw error;
      }
    }
  }

  success(execution: ExecutionRef): Settlement {
    return { ...refOf(execution), startedAt: this.scene.now(), kind: "succeeded", result: null };
  }

  failure(execution: ExecutionRef): Settlement {
    return { ...refOf(execution), startedAt: this.scene.now(), kind: "retry", delayMs: 0, error: "time-out" };
  }

  snooze(execution: ExecutionRef): Settlement {
    return { ...refOf(execution), startedAt: this.scene.now(), kind: "snoozed", delayMs: 0 };
  }

  /** Completes an execution in a transaction. If it is stale, the transaction is rolled back, as a handler's own is. */
  async complete(execution: ExecutionRef): Promise<boolean> {
    const completion = { ...refOf(execution), startedAt: this.scene.now(), result: null };
    try {
      return await this.subject.transaction(async (within) => {
        if ((await this.store.completeWithin(completion, within)) !== null) return true;
        throw new RolledBack();
      });
    } catch (error) {
      if (error instanceof RolledBack) return false;
      throw error;
    }
  }

  private keep(open: OpenGate): OpenGate {
    this.#closing.push(open);
    return open;
  }

  private follow<T>(reply: Promise<T>): Promise<T> {
    this.#waiting.add(reply);
    reply.finally(() => this.#waiting.delete(reply)).catch(() => {});
    return reply;
  }

  private async end(): Promise<void> {
    await Promise.allSettled(this.#closing.map((close) => close()));
    await Promise.allSettled(this.#waiting);
  }
}
