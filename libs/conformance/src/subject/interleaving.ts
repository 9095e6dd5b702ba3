import assert from "node:assert/strict";
import {
  type BootId,
  type CallerTransaction,
  type DeathVerdict,
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

/** Something under way that waits. */
export interface Waiting<T> {
  readonly reply: Promise<T>;
}

class RolledBack extends Error {}

/** A write that others' locks put off is sent again at most this often. */
const MAX_RESENDS = 50;

/**
 * The stage of a case that forces an order: transactions that stay open, gates, and statements that must wait or must
 * not.
 *
 * However the case ends, its gates are opened, its open transactions rolled back, and what waited comes to its end, so
 * that nothing of it reaches the next case. Nothing sleeps: each step is taken when the one before it is seen to stand.
 *
 * A statement of the store's own may give up waiting after its lock time-out, and then is sent again; one in a caller's
 * transaction waits as long as it takes. So where the order of more than one waiter matters, they wait in transactions.
 */
export class Interleaving {
  readonly #closing: (() => Promise<unknown>)[] = [];
  readonly #waiting = new Set<Promise<unknown>>();

  private constructor(
    readonly subject: InterleavingSubject,
    readonly scene: Scenario,
  ) {}

  /** Makes the `run` of a case. */
  static of(run: (order: Interleaving, scene: Scenario) => Promise<void>): InterleavingCase["run"] {
    return async (subject) => {
      const order = new Interleaving(subject, await Scenario.open(subject));
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

  /** Stops whatever is about to write a task's row. */
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

  /** Starts something that must come to wait, and answers once it does. */
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

  /** The same in a caller's transaction, which is committed once it is done. */
  waitsWithin<T>(work: (within: CallerTransaction) => Promise<T>): Promise<Waiting<T>> {
    return this.waits(() => this.subject.transaction(work));
  }

  /** Runs something that must not wait for anybody, whatever else waits. */
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

  /** Takes the term, whoever holds it. */
  async lead(candidate: BootId = unknownBootId()): Promise<Leadership> {
    const leader = await this.cluster.takeTerm(candidate, await this.cluster.readTerm());
    assert.ok(leader, "nobody else takes the term meanwhile");
    return leader;
  }

  /** A leader's word over a node with its beat of now, said again as long as a claim is in its way. */
  async declareDead(bootId: BootId, leader: Leadership): Promise<DeathVerdict> {
    const beat = (await this.cluster.readBeats()).find((row) => row.bootId === bootId)?.beat ?? NaN;
    for (let count = 1; ; count++) {
      const verdict = await this.cluster.declareDead({ bootId, beat, leader });
      if (verdict !== "busy" || count === MAX_RESENDS) return verdict;
    }
  }

  /** Settles one execution, again as long as others hold its row. */
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

  /** Completes an execution in a transaction that is rolled back where it is stale, as a handler's is. */
  async complete(execution: ExecutionRef): Promise<boolean> {
    const completion = { ...refOf(execution), startedAt: this.scene.now(), result: null };
    try {
      return await this.subject.transaction(async (within) => {
        if (await this.store.completeWithin(completion, within)) return true;
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
