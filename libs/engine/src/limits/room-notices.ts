import {
  type BootId,
  type Clock,
  type ClockTimer,
  type Coordination,
  type LimitId,
  MAX_LIMITS_PER_MESSAGE,
} from "@tickwheel/core";

/** Ends are gathered for this long, so that a node sends at most so often. */
const GATHER_MS = 10;

interface NoticeParts {
  clock: Clock;
  coordination: Pick<Coordination, "send">;
  /** The nodes that have found no place at one of these limits lately, without this one. */
  waiting: (limitIds: readonly LimitId[]) => BootId[];
}

/**
 * Tells nodes that wait for a place of a limit that there may be one: hints, behind the commit that freed it. Bounded
 * by the limits that there are.
 */
export class RoomNotices {
  private readonly freed = new Set<LimitId>();
  private timer: ClockTimer | null = null;

  constructor(private readonly parts: NoticeParts) {}

  add(limitIds: readonly LimitId[]): void {
    for (const limitId of limitIds) this.freed.add(limitId);
    this.timer ??= this.parts.clock.setTimer(GATHER_MS, () => this.send());
  }

  stop(): void {
    this.timer?.clear();
    this.timer = null;
    this.freed.clear();
  }

  private send(): void {
    this.timer = null;
    const limitIds = [...this.freed].slice(0, MAX_LIMITS_PER_MESSAGE);
    this.freed.clear();
    for (const bootId of this.parts.waiting(limitIds))
      void this.parts.coordination.send(bootId, { kind: "room", limitIds });
  }
}
