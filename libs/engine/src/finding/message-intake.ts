import type { Clock, ClusterMessage, SchedulerOptions, TaskHint } from "@tickwheel/core";
import { Throttle } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import type { Executions } from "../held/executions.js";

/**
 * Of what others say, so many hints are followed within a second; of more this node looks for itself. Beyond what a
 * cluster sends one node.
 */
const MAX_HINTS_PER_SECOND = 10_000;
const SECOND_MS = 1_000;
/** What a message makes a node look for in the store is looked for so often at most. */
const LOOK_PAUSE_MS = 100;
/** Two nodes' estimates of the database's time differ by less. */
const CLOCK_MARGIN_MS = 1_000;

interface IntakeParts {
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
}

/**
 * What other nodes say, or somebody in their name [hints-only]: whatever it is, nothing is done that the store has not
 * confirmed, and it costs this node a bounded part of its time.
 *
 * - hints: a claim decides. None is taken for overdue, so that no invented one goes before what has waited, nor for
 *   later than the horizon; so many a second.
 * - "load": the store is asked, at most ten times a second.
 * - a cancel: of an execution that is here the store is asked, as often; its row says whether somebody wants that.
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
