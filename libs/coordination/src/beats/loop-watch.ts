import type { BlockedLoop, Clock, ClockTimer } from "@tickwheel/core";
import { type HeartbeatSnapshot, SNAPSHOT_INTERVAL_MS } from "./heartbeat.js";
import type { RunningHandlers } from "./running-handlers.js";

/** A loop that was silent for this long is reported as blocked. */
export const BLOCKED_AFTER_MS = 1_000;
/** A look adds at most this to the silence: if the whole process was paused, its main loop has had no turn either. */
const MAX_LOOK_STEP_MS = 2 * SNAPSHOT_INTERVAL_MS;

export interface LoopWatchOptions {
  loopBlockedFenceMs: number;
  /** The snapshot before the first one arrives. */
  first: HeartbeatSnapshot;
}

export interface LoopWatchListener {
  /** The loop is blocked, or turns again: the next beat should report it soon. */
  changed(): void;
  /** It turns again. `blocked`: as last reported. */
  turnsAgain(blocked: BlockedLoop): void;
  /** It has been blocked for `loopBlockedFenceMs`: no further beat is sent until it turns again. */
  fenced(blocked: BlockedLoop): void;
}

/**
 * What the heartbeat's thread knows of the working loop: its last snapshot, how long it has been silent, and which
 * handlers run in it (from memory that both threads see). So beats are right even about a loop that cannot answer.
 *
 * It looks four times a second. Silence is counted in looks, not by the clock: a paused process is not a blocked loop.
 */
export class LoopWatch {
  private latest: HeartbeatSnapshot;
  private silentMs = 0;
  private lookedMonoMs: number;
  private blocked: BlockedLoop | null = null;
  private timer: ClockTimer | null = null;

  constructor(
    private readonly parts: {
      clock: Clock;
      runningHandlers: Pick<RunningHandlers, "read">;
      listener: LoopWatchListener;
    },
    private readonly settings: LoopWatchOptions,
  ) {
    this.latest = settings.first;
    this.lookedMonoMs = parts.clock.monotonicMs();
  }

  start(): void {
    this.lookedMonoMs = this.parts.clock.monotonicMs();
    this.arm();
  }

  stop(): void {
    this.timer?.clear();
    this.timer = null;
  }

  /** The loop has turned. */
  heard(snapshot: HeartbeatSnapshot): void {
    this.latest = snapshot;
    this.silentMs = 0;
    this.lookedMonoMs = this.parts.clock.monotonicMs();
    const { blocked } = this;
    this.blocked = null;
    if (blocked === null) return;
    this.parts.listener.turnsAgain(blocked);
    this.parts.listener.changed();
  }

  /** Whether beats are to be sent. */
  get mayBeat(): boolean {
    return this.silentMs < this.settings.loopBlockedFenceMs;
  }

  /** What a beat reports now. */
  snapshot(): HeartbeatSnapshot {
    if (this.blocked === null) return this.latest;
    const { vitals, ownedSlots } = this.latest;
    return { vitals: { ...vitals, loopLagMs: this.blocked.forMs, blocked: this.blocked }, ownedSlots };
  }

  private arm(): void {
    this.timer = this.parts.clock.setTimer(SNAPSHOT_INTERVAL_MS, () => {
      this.arm();
      this.look();
    });
  }

  private look(): void {
    const nowMonoMs = this.parts.clock.monotonicMs();
    const mightBeat = this.mayBeat;
    this.silentMs += Math.min(nowMonoMs - this.lookedMonoMs, MAX_LOOK_STEP_MS);
    this.lookedMonoMs = nowMonoMs;
    if (this.silentMs < BLOCKED_AFTER_MS) return;
    const isNews = this.blocked === null;
    this.blocked = { forMs: Math.round(this.silentMs), ...this.parts.runningHandlers.read() };
    if (isNews) this.parts.listener.changed();
    if (mightBeat && !this.mayBeat) this.parts.listener.fenced(this.blocked);
  }
}
