import {
  type Clock,
  type ClockTimer,
  type ClusterMessage,
  type Coordination,
  type EpochMs,
  MAX_TYPES_PER_MESSAGE,
  type TaskHint,
  type TypeId,
} from "@tickwheel/core";
import { Throttle } from "@tickwheel/coordination";

/** Messages are sent at most so often; what is due meanwhile is told together. */
const PAUSE_MS = 10;
/** How often the other nodes are told, while calls wait here. */
const TELL_MS = 1_000;
/** A node that has not told of waiting calls for this long has none any more. */
const KNOWN_FOR_MS = 3_000;
/** [all-bounded]: at most so many types are remembered; of more, any may be waited for. */
const MAX_KNOWN = 1_000;

export interface NoticeParts {
  clock: Clock;
  coordination: Pick<Coordination, "send">;
  /** The types for which calls wait on this node. */
  waiting: () => readonly TypeId[];
  /** A task of a type is due then. */
  due: (typeId: TypeId, dueAt: EpochMs) => void;
}

/**
 * What nodes tell each other about pulled tasks: who has calls that wait, and for them what is due. Hints, behind the
 * commit that made something due: a lost one costs a second. Where nobody waits nothing is sent.
 */
export class PullNotices {
  /** Until when calls wait elsewhere, by type. */
  private readonly awaited = new Map<TypeId | "any", number>();
  private readonly outbox = new Map<TypeId, EpochMs>();
  private readonly sends: Throttle;
  private timer: ClockTimer | null = null;

  constructor(private readonly parts: NoticeParts) {
    this.sends = new Throttle(parts.clock, PAUSE_MS, () => this.send());
  }

  /** The calls that wait here have become other ones. */
  waitingChanged(): void {
    if (this.timer === null && this.parts.waiting().length > 0) this.tell();
  }

  /** Tasks of pull types whose due time was set by a write that is committed. */
  publish(hints: readonly TaskHint[]): void {
    for (const { typeId, dueAt } of hints) {
      this.parts.due(typeId, dueAt);
      if (this.isAwaited(typeId)) this.outbox.set(typeId, Math.min(dueAt, this.outbox.get(typeId) ?? Infinity));
    }
    if (this.outbox.size > 0) this.sends.ask();
  }

  receive(message: ClusterMessage): void {
    if (message.kind === "pull") for (const typeId of message.typeIds) this.parts.due(typeId, message.dueAt);
    else if (message.kind === "waiting") this.learn(message.typeIds);
  }

  stop(): void {
    this.sends.stop();
    this.timer?.clear();
    this.timer = null;
    this.outbox.clear();
    this.awaited.clear();
  }

  private isAwaited(typeId: TypeId): boolean {
    if (this.awaited.size === 0) return false;
    const nowMonoMs = this.parts.clock.monotonicMs();
    return (this.awaited.get(typeId) ?? 0) > nowMonoMs || (this.awaited.get("any") ?? 0) > nowMonoMs;
  }

  private learn(typeIds: readonly TypeId[] | "any"): void {
    const nowMonoMs = this.parts.clock.monotonicMs();
    for (const [typeId, untilMonoMs] of this.awaited) if (untilMonoMs <= nowMonoMs) this.awaited.delete(typeId);
    const known = typeIds === "any" || this.awaited.size >= MAX_KNOWN ? ["any" as const] : typeIds;
    for (const typeId of known) this.awaited.set(typeId, nowMonoMs + KNOWN_FOR_MS);
  }

  private tell(): void {
    const waiting = this.parts.waiting();
    this.timer = null;
    if (waiting.length === 0) return;
    const typeIds = waiting.length > MAX_TYPES_PER_MESSAGE ? "any" : [...waiting];
    void this.parts.coordination.send("all", { kind: "waiting", typeIds });
    this.timer = this.parts.clock.setTimer(TELL_MS, () => this.tell());
  }

  private send(): void {
    const due = [...this.outbox].slice(0, MAX_TYPES_PER_MESSAGE);
    for (const [typeId] of due) this.outbox.delete(typeId);
    const dueAt = Math.min(...due.map(([, at]) => at));
    void this.parts.coordination.send("all", { kind: "pull", typeIds: due.map(([typeId]) => typeId), dueAt });
    if (this.outbox.size > 0) this.sends.ask();
  }
}
