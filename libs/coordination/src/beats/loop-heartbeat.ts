import {
  type BeatAnswer,
  type Clock,
  type ClusterStore,
  type Coordination,
  Rest,
  type Telemetry,
} from "@tickwheel/core";
import type { Heartbeat, HeartbeatIdentity, HeartbeatListener, HeartbeatSnapshot } from "./heartbeat.js";

export interface LoopHeartbeatPorts {
  clock: Clock;
  store: Pick<ClusterStore, "beat">;
  coordination: Pick<Coordination, "announce">;
  telemetry: Telemetry;
}

export interface LoopHeartbeatOptions {
  heartbeatIntervalMs: number;
  /**
   * Whether the working thread still answers. While it does not, no beat is sent, and after a while the others take
   * over. Default: always (the working loop is the one that beats).
   */
  mainLoopAlive?: () => boolean;
}

/**
 * The share of an interval: how long after an error the next beat goes out, and how long one waits before its node says
 * that it lives.
 */
const QUARTER = 0.25;
const LATE = Symbol("no answer yet");

/**
 * Beats in the loop of the thread it runs in.
 *
 * One beat each interval. It counts as good from when it was *sent*. Without an answer within one interval it has
 * failed: a late answer is ignored, and the next beat goes out on time (the store gives that one a fresh connection).
 * After an error it goes out sooner, so that a node that has lost its session soon has one again. The keys are renewed
 * after each beat, and no beat waits for that; where it was not good, or is not answered soon, they only show that this
 * node lives [lost-session]. Failures are reported once when they begin and once when they end.
 */
export class LoopHeartbeat implements Heartbeat {
  private stopping: AbortController | null = null;
  private ended: Promise<void> = Promise.resolve();
  private announcing = false;
  private trouble: string | null = null;
  /** The number of the last good beat, and how often this run has announced itself. */
  private last = { beat: 0, pulse: 0 };
  /** The last beat was answered by an error. */
  private wasRefused = false;
  private isResting = false;
  private isHurried = false;
  /** Between two beats, or for the answer to one. */
  private readonly rest: Rest;

  constructor(
    private readonly ports: LoopHeartbeatPorts,
    private readonly settings: LoopHeartbeatOptions,
  ) {
    this.rest = new Rest(ports.clock);
  }

  async start(
    identity: HeartbeatIdentity,
    source: () => HeartbeatSnapshot,
    listener: HeartbeatListener,
  ): Promise<void> {
    this.halt();
    const stopping = new AbortController();
    this.stopping = stopping;
    this.ended = this.ended.then(() => this.repeat({ identity, source, listener, signal: stopping.signal }));
  }

  async stop(): Promise<void> {
    this.halt();
    await this.ended;
  }

  /** Where a beat is under way, the next one is sent when that is answered. */
  beatSoon(): void {
    if (this.isResting) this.rest.end();
    else this.isHurried = true;
  }

  private halt(): void {
    this.stopping?.abort();
    this.stopping = null;
    this.rest.end();
  }

  private async repeat(beating: Beating): Promise<void> {
    const { clock } = this.ports;
    let alive = true;
    this.last = { beat: 0, pulse: 0 };
    while (alive && !beating.signal.aborted) {
      const startMonoMs = clock.monotonicMs();
      this.isHurried = false;
      alive = await this.beatOnce(beating);
      const restMs = this.intervalMs() - (clock.monotonicMs() - startMonoMs);
      if (alive && restMs > 0 && !this.isHurried && !beating.signal.aborted) await this.takeRest(restMs);
    }
  }

  /** Until the next beat. */
  private intervalMs(): number {
    const { heartbeatIntervalMs } = this.settings;
    return this.wasRefused ? heartbeatIntervalMs * QUARTER : heartbeatIntervalMs;
  }

  private async takeRest(restMs: number): Promise<void> {
    this.isResting = true;
    await this.rest.take(restMs);
    this.isResting = false;
  }

  /** False: this boot id is lost. */
  private async beatOnce(beating: Beating): Promise<boolean> {
    this.wasRefused = false;
    if (this.settings.mainLoopAlive?.() === false) {
      this.noteTrouble("the main loop is blocked, no beat is sent");
      return true;
    }
    const sentMonoMs = this.ports.clock.monotonicMs();
    const snapshot = beating.source();
    const answer = await this.send(beating, snapshot);
    if (beating.signal.aborted) return false;
    if (typeof answer === "string") {
      this.noteTrouble(answer);
      this.announce(beating.identity, snapshot);
      return true;
    }
    this.noteTrouble(null);
    if (answer === null) {
      beating.listener.lost();
      return false;
    }
    beating.listener.beatGood({ sentMonoMs, settings: answer.settings });
    this.last.beat = answer.beat;
    this.announce(beating.identity, snapshot);
    return true;
  }

  /** Null: there is no row. A text: what went wrong. */
  private async send({ identity, signal }: Beating, snapshot: HeartbeatSnapshot): Promise<BeatAnswer | null | string> {
    const { heartbeatIntervalMs } = this.settings;
    const soonMs = heartbeatIntervalMs * QUARTER;
    const beat = this.ports.store.beat(identity.bootId, snapshot.vitals).catch((error: unknown) => {
      this.wasRefused = true;
      return `the beat failed: ${error instanceof Error ? error.message : String(error)}`;
    });
    const soon = await this.within(soonMs, beat);
    if (soon !== LATE) return soon;
    if (signal.aborted) return "stopped";
    this.announce(identity, snapshot);
    const answer = await this.within(heartbeatIntervalMs - soonMs, beat);
    return answer === LATE ? `no answer to the beat within ${heartbeatIntervalMs} ms` : answer;
  }

  private async within<Answer>(limitMs: number, answer: Promise<Answer>): Promise<Answer | typeof LATE> {
    const late = this.rest.take(limitMs).then((): typeof LATE => LATE);
    const first = await Promise.race([answer, late]);
    this.rest.end();
    return first;
  }

  /** Not before the first good beat: until then nobody counts on this node. */
  private announce({ bootId, label }: HeartbeatIdentity, snapshot: HeartbeatSnapshot): void {
    if (this.announcing || this.last.beat === 0) return;
    this.announcing = true;
    this.last.pulse++;
    void this.ports.coordination
      .announce({ bootId, label, ...this.last, ...snapshot })
      .catch(() => undefined)
      .finally(() => (this.announcing = false));
  }

  private noteTrouble(trouble: string | null): void {
    const changed = (trouble === null) !== (this.trouble === null);
    this.trouble = trouble;
    if (!changed) return;
    this.ports.telemetry.emit(
      trouble === null
        ? { name: "cluster.heartbeat.acknowledged", level: "debug", message: "Beats are acknowledged again" }
        : { name: "cluster.heartbeat.failed", level: "debug", message: trouble },
    );
  }
}

interface Beating {
  identity: HeartbeatIdentity;
  source: () => HeartbeatSnapshot;
  listener: HeartbeatListener;
  signal: AbortSignal;
}
