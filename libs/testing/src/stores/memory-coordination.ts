import type { BootId, ClusterMessage, Clock, Coordination, NodeAnnouncement, NodeBeat } from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";

export interface MemoryBusOptions {
  clock: Clock;
  /**
   * The kind of the attached coordinations: `redis` has beats and a lock, `postgres` only carries messages. Default
   * `redis`.
   */
  kind?: "redis" | "postgres" | undefined;
  /** How long a node's announcement lasts unless it is renewed, in milliseconds. Default 3,000. */
  keyTtlMs?: number | undefined;
}

/** A message on its way. */
export interface Envelope {
  to: BootId | "all";
  message: ClusterMessage;
}

/**
 * The medium that the nodes of a test share beside the database: messages, announcements, the election's lock. Each
 * node attaches once. Messages arrive in the order they were sent, after the sender's own step. Commands are answered
 * at once. Everything here may be lost at any time. For latencies and faults of the network see `SimulatedRedis`.
 *
 * @example
 * const bus = new MemoryBus({ clock });
 * const coordination = bus.attach();
 * bus.setAvailable(false); // as if Redis were stopped
 */
export class MemoryBus {
  /** Messages for which this returns true are lost on their way, although the sender is told that they arrived. */
  lose: ((envelope: Envelope) => boolean) | null = null;
  readonly kind: "redis" | "postgres";
  private readonly receivers = new Map<BootId, (message: ClusterMessage) => void>();
  private readonly announcements = new Map<string, { announcement: NodeAnnouncement; untilMonoMs: number }>();
  private lock: { holder: MemoryCoordination; untilMonoMs: number } | null = null;
  private down: string | null = null;

  constructor(private readonly options: MemoryBusOptions) {
    this.kind = options.kind ?? "redis";
  }

  attach(): MemoryCoordination {
    return new MemoryCoordination(this);
  }

  /** Stops or starts the medium for all nodes. Announcements and the lock are kept, and expire as always. */
  setAvailable(available: boolean, detail = "set unavailable"): void {
    this.down = available ? null : detail;
  }

  /** Why the medium does not work now. Null: it works. */
  get outage(): string | null {
    return this.down;
  }

  /** The bus's time. */
  nowMs(): number {
    return this.options.clock.monotonicMs();
  }

  /** Forgets announcements and the lock, as a flushed Redis does. */
  flush(): void {
    this.announcements.clear();
    this.lock = null;
  }

  /** What is announced now, by label. */
  announced(): Map<string, NodeAnnouncement> {
    const now = this.nowMs();
    const alive = [...this.announcements].filter(([, { untilMonoMs }]) => untilMonoMs > now);
    return new Map(alive.map(([label, { announcement }]) => [label, announcement]));
  }

  announce(announcement: NodeAnnouncement): void {
    const untilMonoMs = this.nowMs() + (this.options.keyTtlMs ?? 3_000);
    this.announcements.set(announcement.label, { announcement: copyOf(announcement), untilMonoMs });
  }

  withdraw(label: string): void {
    this.announcements.delete(label);
  }

  subscribe(bootId: BootId, receive: (message: unknown) => void): void {
    this.receivers.set(bootId, receive);
  }

  unsubscribe(bootId: BootId): void {
    this.receivers.delete(bootId);
  }

  /** How many nodes the message reached. As `postgres` it is Infinity: nobody counts the listeners of a NOTIFY. */
  send(envelope: Envelope): number {
    const targets = envelope.to === "all" ? [...this.receivers.keys()] : [envelope.to];
    const reached = targets.filter((bootId) => this.receivers.has(bootId));
    if (!this.lose?.(envelope)) for (const bootId of reached) this.deliver(bootId, envelope.message);
    return this.kind === "postgres" ? Infinity : reached.length;
  }

  /** Extends the holder's lock, or takes one that nobody holds. */
  tryLock(holder: MemoryCoordination, asked: { ttlMs: number; extends: boolean }): boolean {
    const now = this.nowMs();
    const held = this.lock !== null && this.lock.untilMonoMs > now ? this.lock : null;
    const may = asked.extends ? held?.holder === holder : held === null;
    if (may) this.lock = { holder, untilMonoMs: now + asked.ttlMs };
    return may;
  }

  unlock(holder: MemoryCoordination): void {
    if (this.lock?.holder === holder) this.lock = null;
  }

  private deliver(bootId: BootId, message: ClusterMessage): void {
    const copy = copyOf(message);
    this.options.clock.soon(() => {
      if (this.down === null) this.receivers.get(bootId)?.(copy);
    });
  }
}

/** One node's access to a {@link MemoryBus}: a {@link Coordination} in memory. */
export class MemoryCoordination implements Coordination {
  private subscribed: BootId | null = null;
  /** Until when this node believes that it holds the lock. */
  private lockedUntilMonoMs = -Infinity;
  private cutOff: string | null = null;

  constructor(private readonly bus: MemoryBus) {}

  get kind(): "redis" | "postgres" {
    return this.bus.kind;
  }

  /** Cuts this node off from the medium, or connects it again. Messages to it are lost meanwhile. */
  setAvailable(available: boolean, detail = "cut off"): void {
    this.cutOff = available ? null : detail;
  }

  health(): { available: boolean; detail: string | null } {
    const detail = this.cutOff ?? this.bus.outage;
    return { available: detail === null, detail };
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    if (this.subscribed !== null) this.bus.unsubscribe(this.subscribed);
    this.subscribed = null;
  }

  async subscribe(bootId: BootId, receive: (message: unknown) => void): Promise<void> {
    if (this.subscribed !== null) this.bus.unsubscribe(this.subscribed);
    this.subscribed = bootId;
    this.bus.subscribe(bootId, (message) => {
      if (this.cutOff === null) receive(message);
    });
  }

  async send(to: BootId | "all", message: ClusterMessage): Promise<boolean> {
    return this.works() && this.bus.send({ to, message }) > 0;
  }

  async readBeats(): Promise<NodeBeat[] | null> {
    if (!this.works() || this.kind === "postgres") return null;
    return [...this.bus.announced().values()].map(({ bootId, label, beat, vitals }) =>
      copyOf({ bootId, label, beat, vitals }),
    );
  }

  async announce(announcement: NodeAnnouncement): Promise<void> {
    if (this.works()) this.bus.announce(announcement);
  }

  async withdraw(label: string): Promise<void> {
    if (this.works()) this.bus.withdraw(label);
  }

  async campaign(_bootId: BootId, ttlMs: number): Promise<"held" | "refused" | "unavailable"> {
    const now = this.bus.nowMs();
    const isHolder = now < this.lockedUntilMonoMs;
    this.lockedUntilMonoMs = -Infinity;
    if (!this.works() || this.kind === "postgres") return "unavailable";
    if (!this.bus.tryLock(this, { ttlMs, extends: isHolder })) return "refused";
    this.lockedUntilMonoMs = now + ttlMs;
    return "held";
  }

  async yieldLeadership(): Promise<void> {
    this.lockedUntilMonoMs = -Infinity;
    if (this.works()) this.bus.unlock(this);
  }

  private works(): boolean {
    return this.health().available;
  }
}
