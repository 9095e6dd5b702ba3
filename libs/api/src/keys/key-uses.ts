import { Inject, Injectable, type OnModuleDestroy } from "@nestjs/common";
import { type Clock, type ClockTimer, SystemClock } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "./api-node.js";

/** How often uses are written, in milliseconds. */
const WRITTEN_EACH_MS = 60_000;
/** Keys whose uses wait to be written; those of more are left out until then. */
const MAX_WAITING = 10_000;

interface Seen {
  atMonoMs: number;
  from: string | null;
}

/**
 * When and from where each key was seen last. Keys that were seen within a minute are written by one statement: a key
 * that is used all the time costs a write a minute, and one that nobody uses none. Nobody waits for it; where it fails,
 * the next minute's will do.
 */
@Injectable()
export class KeyUses implements OnModuleDestroy {
  private seen = new Map<string, Seen>();
  private timer: ClockTimer | null = null;

  constructor(
    @Inject(API_NODE) private readonly node: Pick<DelayTaskNode, "apiKeys">,
    @Inject(SystemClock) private readonly clock: Pick<Clock, "monotonicMs" | "setTimer">,
  ) {}

  /** The key with this id was called with just now. */
  see(id: string, from: string | null): void {
    if (this.seen.size >= MAX_WAITING && !this.seen.has(id)) return;
    this.seen.set(id, { atMonoMs: this.clock.monotonicMs(), from });
    this.timer ??= this.clock.setTimer(WRITTEN_EACH_MS, () => void this.write());
  }

  /** Writes what has been seen since the last time. */
  async write(): Promise<void> {
    this.timer?.clear();
    this.timer = null;
    const seen = [...this.seen];
    this.seen = new Map();
    if (seen.length === 0) return;
    const nowMonoMs = this.clock.monotonicMs();
    const uses = seen.map(([id, { atMonoMs, from }]) => ({ id, agoMs: nowMonoMs - atMonoMs, from }));
    try {
      await this.node.apiKeys.recordUses(uses);
    } catch {
      // The time of a last use is no promise.
    }
  }

  /** Before the node closes its connections. */
  async onModuleDestroy(): Promise<void> {
    await this.write();
  }
}
