import {
  type Clock,
  type ClusterMessage,
  type Coordination,
  type EpochMs,
  type PulledTask,
  type PullReply,
  type PullRequest,
  type Random,
  type TaskHint,
  TickwheelError,
  type TypeId,
} from "@tickwheel/core";
import { type PullAnswer, type PullAsk, QueueDesk } from "./queue-desk.js";
import { PullNotices } from "./pull-notices.js";

/** [all-bounded]: calls of so many types may wait on one node. */
const MAX_DESKS = 1_000;

export interface DesksParts {
  clock: Clock;
  random: Pick<Random, "next">;
  pull: (request: PullRequest) => Promise<PullReply>;
  coordination: Pick<Coordination, "send">;
  /** The database's time as this node estimates it. */
  nowMs: () => EpochMs;
  /** Whether consumers fetch the tasks of a type. */
  isPulled: (typeId: TypeId) => boolean;
  giveBack: (tasks: readonly PulledTask[]) => void;
}

/** All calls that wait for tasks on this node, by type, and the hints that wake them up. */
export class QueueDesks {
  private readonly desks = new Map<TypeId, QueueDesk>();
  private readonly notices: PullNotices;
  /** Whether no call may wait. */
  isClosed = false;

  constructor(private readonly parts: DesksParts) {
    const { clock, coordination } = parts;
    this.notices = new PullNotices({
      clock,
      coordination,
      waiting: () => this.waitingTypes(),
      due: (typeId, dueAt) => this.desks.get(typeId)?.hinted(dueAt),
    });
  }

  /** How many calls wait for tasks of a type. */
  waitersOf(typeId: TypeId): number {
    return this.desks.get(typeId)?.size ?? 0;
  }

  /** The types for which calls wait. */
  waitingTypes(): TypeId[] {
    return [...this.desks].flatMap(([typeId, { size }]) => (size > 0 ? [typeId] : []));
  }

  /**
   * Waits for tasks of a type. @throws TickwheelError `RATE_LIMITED`: calls of 1,000 types wait; `STORE_UNAVAILABLE`:
   * the node drains; and what the store throws
   */
  wait(typeId: TypeId, ask: PullAsk): Promise<PullAnswer> {
    if (this.isClosed) return Promise.reject(new TickwheelError("STORE_UNAVAILABLE", "this node is draining"));
    const desk = this.desks.get(typeId) ?? this.openDesk(typeId);
    if (desk === null) {
      const detail = `calls for tasks of ${MAX_DESKS} types wait on this node already`;
      return Promise.reject(new TickwheelError("RATE_LIMITED", detail));
    }
    return desk.wait(ask);
  }

  /**
   * Takes the hints about tasks that consumers fetch, and gives the others back: no node would wake up for the first
   * ones.
   */
  take(hints: readonly TaskHint[]): readonly TaskHint[] {
    const { isPulled } = this.parts;
    const pulled = hints.filter(({ typeId }) => isPulled(typeId));
    if (pulled.length === 0) return hints;
    this.notices.publish(pulled);
    return pulled.length === hints.length ? [] : hints.filter(({ typeId }) => !isPulled(typeId));
  }

  /** A task of the type has ended by way of this node. */
  roomFreed(typeId: TypeId): void {
    this.desks.get(typeId)?.roomFreed();
  }

  receive(message: ClusterMessage): void {
    this.notices.receive(message);
  }

  open(): void {
    this.isClosed = false;
  }

  /** Answers all calls; until it is opened again no call waits. */
  close(): void {
    this.isClosed = true;
    for (const desk of this.desks.values()) desk.close();
    this.desks.clear();
    this.notices.stop();
  }

  /** Null: there are too many, and somebody waits at each. */
  private openDesk(typeId: TypeId): QueueDesk | null {
    if (this.desks.size >= MAX_DESKS) {
      const idle = [...this.desks].find(([, { size }]) => size === 0);
      if (idle === undefined) return null;
      this.desks.delete(idle[0]);
    }
    const { clock, random, nowMs, pull, giveBack } = this.parts;
    const desk = new QueueDesk({
      typeId,
      clock,
      random,
      nowMs,
      pull,
      giveBack,
      waitingChanged: () => this.notices.waitingChanged(),
    });
    this.desks.set(typeId, desk);
    return desk;
  }
}
