import { SeededRandom } from "@tickwheel/testing";
import type { History, HistoryOptions } from "../src/history/history.js";
import { HistoryBuilder } from "./history-builder.js";

/** What a task of the model does next, and when, by the observer's clock. */
interface Plan {
  id: string;
  atMs: number;
  step: () => void;
}

/** Longest lateness of the model's starts, and how long its handlers run, in milliseconds. */
const MAX_LATENESS_MS = 40;
const MAX_RUN_MS = 3_000;
/** When its nodes are killed and reaped: as a cluster would at about the middle of its bounds. */
const DEAD_AFTER_MS = 7_500;

/**
 * A tiny sequential model of tasks' lives in a cluster that does everything as it should: tasks are created, moved,
 * cancelled, fail, are timed out, aborted, retried and run again after their node was killed, each step with its
 * chance. The same seed gives the same history.
 *
 * @param given how many tasks; each makes about ten events
 */
export function randomLife(given: { seed: number; tasks: number; options?: Partial<HistoryOptions> }): History {
  return new RandomLife(given).run();
}

class RandomLife {
  private readonly random: SeededRandom;
  private readonly built: HistoryBuilder;
  private readonly plans: Plan[] = [];
  private readonly runningOn = new Map<string, string>();
  private readonly nodes: string[] = ["n1", "n2", "n3"];
  private nowMs = 0;

  constructor(private readonly given: { seed: number; tasks: number; options?: Partial<HistoryOptions> }) {
    this.random = new SeededRandom(given.seed);
    this.built = new HistoryBuilder(given.options);
  }

  run(): History {
    this.built.node("joined", ...this.nodes);
    for (let index = 0; index < this.given.tasks; index++) {
      const id = `t${index}`;
      this.plan(id, this.upTo(10_000), () => this.create(id));
    }
    this.plan("", this.upTo(20_000), () => this.kill());
    for (let next = this.take(); next; next = this.take()) {
      this.built.wait(next.atMs - this.nowMs);
      this.nowMs = next.atMs;
      next.step();
    }
    return this.built.wait(30_000).rest().build();
  }

  private create(id: string): void {
    const delayMs = this.upTo(20_000);
    const maxAttempts = 1 + this.upTo(3);
    this.built.create(id, {
      due: { delayMs },
      maxAttempts,
      ...(this.chance(0.3) ? { key: id, idempotencyKey: id } : {}),
    });
    if (this.chance(0.15))
      this.plan(id, this.upTo(delayMs), () => this.whileScheduled(id, () => this.built.cancel(id)));
    else if (this.chance(0.2)) this.plan(id, this.upTo(delayMs), () => this.postpone(id));
    else this.planClaim(id);
  }

  private postpone(id: string): void {
    this.built.edit(id, { delayMs: this.upTo(10_000) });
    this.planClaim(id);
  }

  private whileScheduled(id: string, step: () => void): void {
    if (this.built.row(id).state === "scheduled") step();
  }

  /** At its due time, a few milliseconds late. */
  private planClaim(id: string): void {
    const dueInMs = this.built.row(id).dueAt - this.built.at;
    this.plan(id, Math.max(0, dueInMs) + this.upTo(MAX_LATENESS_MS), () => this.claim(id));
  }

  private claim(id: string): void {
    const node = this.nodes[this.upTo(this.nodes.length - 1)]!;
    this.built.claim(id, node).start(id);
    this.runningOn.set(id, node);
    this.plan(id, 1 + this.upTo(MAX_RUN_MS), () => this.finish(id));
  }

  private finish(id: string): void {
    this.runningOn.delete(id);
    const { attempt, maxAttempts } = this.built.row(id);
    const chance = this.random.next();
    if (chance < 0.7) this.built.succeed(id);
    else if (chance < 0.8) this.abortForDrain(id);
    else if (attempt >= maxAttempts) this.built.settle(id, { kind: "dead" });
    else if (chance < 0.9) this.timeOut(id);
    else this.fail(id);
    if (this.built.row(id).finishedAt !== null && this.chance(0.1))
      this.plan(id, this.upTo(5_000), () => this.retry(id));
  }

  private abortForDrain(id: string): void {
    this.built.abort("drain-aborted", id).release(id);
    this.planClaim(id);
  }

  private timeOut(id: string): void {
    this.built.abort("timed-out", id).settleLate(id, { kind: "retry", delayMs: this.upTo(1_000) });
    this.planClaim(id);
  }

  private fail(id: string): void {
    this.built.settle(id, { kind: "retry", delayMs: this.upTo(10_000) });
    this.planClaim(id);
  }

  private retry(id: string): void {
    this.built.retry(id);
    this.planClaim(id);
  }

  /** What ran there ends, and runs again when the node was declared dead. */
  private kill(): void {
    const killed = this.nodes.pop()!;
    const orphans = [...this.runningOn].filter(([, node]) => node === killed).map(([id]) => id);
    for (const id of orphans) this.forget(id);
    this.built.began({ name: "crash", bootId: killed });
    this.plan("", DEAD_AFTER_MS, () => {
      this.built.node("declared-dead", killed).reap(...orphans);
      for (const id of orphans) this.planClaim(id);
    });
  }

  private forget(id: string): void {
    this.runningOn.delete(id);
    this.plans.splice(
      this.plans.findIndex((plan) => plan.id === id),
      1,
    );
  }

  private plan(id: string, inMs: number, step: () => void): void {
    this.plans.push({ id, atMs: this.nowMs + inMs, step });
  }

  /** The next plan in time; the older of two at one instant. */
  private take(): Plan | undefined {
    let first = 0;
    for (let place = 1; place < this.plans.length; place++)
      if (this.plans[place]!.atMs < this.plans[first]!.atMs) first = place;
    return this.plans.splice(first, 1)[0];
  }

  /** A whole number from 0 to `limit`. */
  private upTo(limit: number): number {
    return Math.floor(this.random.next() * (limit + 1));
  }

  private chance(share: number): boolean {
    return this.random.next() < share;
  }
}
