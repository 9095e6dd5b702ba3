import {
  type BootId,
  type Clock,
  type ClusterEventSink,
  type ClusterStore,
  type Coordination,
  Rest,
  type Telemetry,
  wait,
} from "@tickwheel/core";
import { abortOfAny } from "../health/abort-of-any.js";
import type { BeatObserver } from "../beats/beat-observer.js";
import type { ClusterOptions } from "./cluster-node-ports.js";
import type { Health } from "../health/health.js";
import { type GoodBeat, type Heartbeat, type HeartbeatSnapshot, SNAPSHOT_INTERVAL_MS } from "../beats/heartbeat.js";
import { LeaderDuties } from "../leader/leader-duties.js";
import { LeaderElection } from "../leader/leader-election.js";
import { PeriodicLoop } from "../health/periodic-loop.js";
import { isFresh, mustFence } from "./self-fence.js";
import type { ViewKeeper } from "../views/view-keeper.js";

/** After this many looks the others have seen a beat. */
const LOOKS_UNTIL_SEEN = 2;

export interface IncarnationPorts {
  clock: Clock;
  store: ClusterStore;
  coordination: Coordination;
  heartbeat: Heartbeat;
  health: Health;
  telemetry: Telemetry;
  events?: ClusterEventSink;
  observer: BeatObserver;
  views: ViewKeeper;
}

export interface IncarnationOptions {
  bootId: BootId;
  label: string;
  /** When the join was sent; counts as the first beat. */
  joinedMonoMs: number;
  options: ClusterOptions;
  snapshot: () => HeartbeatSnapshot;
  mayLead: () => boolean;
  mayStand: () => boolean;
  isLeaving: () => boolean;
}

export interface IncarnationListener {
  beatLate(): void;
  /** `isFresh`: it was sent so lately that work may begin. */
  beatGood(good: GoodBeat, isFresh: boolean): void;
  lost(): void;
  /** A raw message from the medium; unchecked. */
  received(arrived: unknown): void;
  declaredDead(bootId: BootId): void;
}

/**
 * What a node does under one boot id, from its join until it is lost or leaves: it beats, takes part in the election,
 * and does a leader's duties. Every loop is bounded by the time-outs of the ports.
 */
export class Incarnation {
  readonly bootId: BootId;
  readonly election: LeaderElection;
  private readonly duties: LeaderDuties;
  private readonly loops: PeriodicLoop[];
  private readonly ports: IncarnationPorts;
  private readonly firstBeat: Promise<void>;
  private heard: () => void = () => undefined;
  private hasEnded = false;
  private lastGoodMonoMs: number;
  private wasLate = false;
  private subscribed = false;
  private awaitedBeat: { fromMonoMs: number; arrived: () => void } | null = null;
  private readonly looks: Rest;

  constructor(
    { health, ...others }: IncarnationPorts,
    private readonly settings: IncarnationOptions,
    private readonly listener: IncarnationListener,
  ) {
    const { bootId, options, mayLead, mayStand, isLeaving } = settings;
    const ports = (this.ports = { ...others, health: health.within(() => !this.hasEnded) });
    this.firstBeat = new Promise((heard) => (this.heard = heard));
    this.looks = new Rest(ports.clock);
    this.bootId = bootId;
    this.lastGoodMonoMs = settings.joinedMonoMs;
    this.election = new LeaderElection(ports, {
      bootId,
      mayLead,
      mayStand,
      leaderTtlMs: options.leaderTtlMs,
      heartbeatIntervalMs: options.heartbeatIntervalMs,
      isDead: (other) => ports.observer.dead().has(other),
      onChange: () => this.leadershipChanged(),
    });
    this.duties = new LeaderDuties(ports, {
      self: bootId,
      label: settings.label,
      beats: options,
      leadership: () => this.election.leadership,
      isLeaving,
      onRefused: () => this.election.end("a write was refused"),
      onDead: (dead) => this.listener.declaredDead(dead),
    });
    const sinceMonoMs = ports.clock.monotonicMs();
    const every = (everyMs: number, work: () => Promise<void> | void): PeriodicLoop =>
      new PeriodicLoop(ports.clock, { everyMs, sinceMonoMs }, work);
    this.loops = [
      every(options.livenessPollMs, () => this.checkBeat()),
      every(options.livenessPollMs, () => this.election.runOnce()),
      every(options.livenessPollMs, () => this.duties.runOnce()),
      every(options.heartbeatIntervalMs, () => this.subscribe()),
    ];
  }

  /**
   * A heartbeat that fails to start looks like one that never beats: this incarnation ends, and the next one tries
   * again.
   */
  async start(): Promise<void> {
    const { heartbeat, health } = this.ports;
    for (const loop of this.loops) loop.start();
    try {
      await heartbeat.start({ bootId: this.bootId, label: this.settings.label }, this.settings.snapshot, {
        beatGood: (good) => this.beatGood(good),
        lost: () => this.listener.lost(),
      });
      health.clear("heartbeat", START_BEATING);
    } catch (error) {
      const detail = "the heartbeat does not start";
      health.raise({ part: "heartbeat", operation: START_BEATING, detail, error, isTried: () => true });
    }
  }

  async stop(): Promise<void> {
    this.looks.end();
    await Promise.all([this.ports.heartbeat.stop(), ...this.loops.map((loop) => loop.stop())]);
    this.election.end("this node has stopped");
    this.hasEnded = true;
  }

  /** Whether the first good beat came within `limitMs` and before any of the signals was aborted. */
  async hasBeaten(limitMs: number, signals: readonly AbortSignal[]): Promise<boolean> {
    const waiting = new AbortController();
    const timeIsUp = wait(this.ports.clock, limitMs, waiting.signal).then(() => false);
    const isOver = abortOfAny([...signals, waiting.signal]).then(() => false);
    const hasBeaten = await Promise.race([this.firstBeat.then(() => true), timeIsUp, isOver]);
    waiting.abort();
    return hasBeaten && !signals.some(({ aborted }) => aborted);
  }

  /** How long ago the last good beat was sent. */
  get beatAgeMs(): number {
    return this.ports.clock.monotonicMs() - this.lastGoodMonoMs;
  }

  /** Whether a good beat is recent enough to start work. */
  get isFresh(): boolean {
    return isFresh(this.beatAgeMs, this.settings.options);
  }

  /**
   * Publishes the view without this node. Gives the term up once all nodes can know from its beats that it leaves: a
   * successor that does not know would add it to the next view again. Until then it leads.
   */
  async stepDown(): Promise<void> {
    if (this.election.leadership === null) return;
    const askedMonoMs = this.ports.clock.monotonicMs();
    // The last view must hold the nodes that came since the last poll: one of them may be the only one left.
    await this.ports.observer.runOnce();
    await this.duties.publishDue();
    if (this.ports.views.view?.nodes.length !== 0) {
      await this.beatSentFrom(askedMonoMs + SNAPSHOT_INTERVAL_MS);
      await this.looks.take(LOOKS_UNTIL_SEEN * this.settings.options.livenessPollMs);
    }
    await this.election.resign();
  }

  private beatGood(good: GoodBeat): void {
    const { sentMonoMs } = good;
    this.lastGoodMonoMs = Math.max(this.lastGoodMonoMs, sentMonoMs);
    if (this.awaitedBeat !== null && sentMonoMs >= this.awaitedBeat.fromMonoMs) this.awaitedBeat.arrived();
    const { isFresh } = this;
    this.listener.beatGood(good, isFresh);
    if (isFresh) this.heard();
  }

  /** Resolves with the first good beat that was sent then or later. */
  private beatSentFrom(fromMonoMs: number): Promise<void> {
    return new Promise((arrived) => (this.awaitedBeat = { fromMonoMs, arrived }));
  }

  private checkBeat(): void {
    const isLate = !this.isFresh;
    if (mustFence({ wasLate: this.wasLate, isLate })) this.listener.beatLate();
    this.wasLate = isLate;
  }

  private leadershipChanged(): void {
    if (this.election.leadership !== null) for (const loop of this.loops) loop.wake();
  }

  /** Tries until it works; the medium keeps the subscription afterwards. */
  private async subscribe(): Promise<void> {
    if (this.subscribed) return;
    const { coordination, health } = this.ports;
    const part = coordination.kind;
    try {
      await coordination.subscribe(this.bootId, (arrived) => this.listener.received(arrived));
      this.subscribed = true;
      health.clear(part, SUBSCRIBE);
    } catch (error) {
      const detail = "messages cannot be received";
      health.raise({ part, operation: SUBSCRIBE, detail, error, isTried: () => !this.subscribed });
    }
  }
}

const SUBSCRIBE = "subscribing";
const START_BEATING = "starting to beat";
