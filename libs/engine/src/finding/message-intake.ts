import type { Clock, ClusterMessage, LimitId, SchedulerOptions, TaskHint } from "@tickwheel/core";
import { Throttle } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import type { Executions } from "../held/executions.js";

/**
 * At most this many hints of other nodes are followed within a second; beyond it this node asks the store. It is more
 * than a cluster sends one node.
 */
const MAX_HINTS_PER_SECOND = 10_000;
const SECOND_MS = 1_000;
/** Messages make a node ask the store at most this often. */
const LOOK_PAUSE_MS = 100;
/** Two nodes' estimates of the database's time differ by less. */
const CLOCK_MARGIN_MS = 1_000;

export interface IntakeParts {
  clock: Clock;
  dbClock: Pick<DbClock, "nowMs">;
  options: Pick<SchedulerOptions, "horizonMs">;
  executions: Pick<Executions, "get">;
  /** Takes tasks that are, or soon will be, due. */
  keep: (hints: TaskHint[]) => void;
  /** Looks in the store for all that is due, or soon will be. */
  lookAgain: () => void;
  /** Looks in the store for cancel requests. */
  readCancels: () => void;
  /** There may be places of these limits. */
  roomFreed: (limitIds: readonly LimitId[]) => void;
}

/**
 * Messages of other nodes, or forged ones [hints-only]. The store must confirm everything before it is done, and
 * messages cost this node a bounded part of its time.
 *
 * - hints: a claim decides. None counts as overdue, so that no forged one goes before tasks that have waited; none
 *   counts as later than the horizon; their rate is bounded.
 * - "load": the store is asked, at most ten times a second.
 * - "room": a type that found no place is claimed once, a hundred times a second at most.
 * - a cancel: if the execution is here the store is asked, as often; its row decides whether it was requested.
 */
export class MessageIntake {
  private readonly looks: Throttle;
  private readonly cancels: Throttle;
  private secondMonoMs = -Infinity;
  private taken = 0;

  constructor(private readonly parts: IntakeParts) {
    this.looks = new Throttle(parts.clock, LOOK_PAUSE_MS, parts.lookAgain);
    this.cancels = new Throttle(parts.clock, LOOK_PAUSE_MS, parts.readCancels);
  }

  receive(message: ClusterMessage): void {
    if (message.kind === "hints") this.takeHints(message.hints);
    else if (message.kind === "load") this.looks.ask();
    else if (message.kind === "room") this.parts.roomFreed(message.limitIds);
    else if (message.kind === "cancel" && this.parts.executions.get(message)) this.cancels.ask();
  }

  stop(): void {
    this.looks.stop();
    this.cancels.stop();
  }

  private takeHints(hints: readonly TaskHint[]): void {
    if (!this.hasRoomFor(hints.length)) return this.looks.ask();
    const now = Math.floor(this.parts.dbClock.nowMs());
    const latest = now + this.parts.options.horizonMs + CLOCK_MARGIN_MS;
    const kept: TaskHint[] = [];
    for (const hint of hints) {
      if (hint.dueAt > latest) continue;
      if (hint.dueAt < now) hint.dueAt = now;
      kept.push(hint);
    }
    if (kept.length > 0) this.parts.keep(kept);
  }

  private hasRoomFor(count: number): boolean {
    const nowMonoMs = this.parts.clock.monotonicMs();
    if (nowMonoMs - this.secondMonoMs >= SECOND_MS) {
      this.secondMonoMs = nowMonoMs;
      this.taken = 0;
    }
    this.taken += count;
    return this.taken <= MAX_HINTS_PER_SECOND;
  }
}
