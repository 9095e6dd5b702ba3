import { type BootId, type Clock, type Coordination, type LimitId, MAX_LIMITS_PER_MESSAGE } from "@tickwheel/core";
import { Throttle } from "@tickwheel/coordination";

/** A node sends at most so often; what becomes free meanwhile is told together. */
const PAUSE_MS = 10;

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
  private readonly sends: Throttle;

  constructor(private readonly parts: NoticeParts) {
    this.sends = new Throttle(parts.clock, PAUSE_MS, () => this.send());
  }

  add(limitIds: readonly LimitId[]): void {
    for (const limitId of limitIds) this.freed.add(limitId);
    this.sends.ask();
  }

  stop(): void {
    this.sends.stop();
    this.freed.clear();
  }

  private send(): void {
    const limitIds = [...this.freed].slice(0, MAX_LIMITS_PER_MESSAGE);
    this.freed.clear();
    for (const bootId of this.parts.waiting(limitIds))
      void this.parts.coordination.send(bootId, { kind: "room", limitIds });
  }
}
