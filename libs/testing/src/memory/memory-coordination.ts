import type { BootId, ClusterMessage, Clock, Coordination, NodeAnnouncement, NodeBeat } from "@tickwheel/core";
import { copyOf } from "../copy-of.js";

export interface MemoryBusOptions {
  clock: Clock;
  /** What the attached coordinations say they are: `redis` holds beats and a lock, `postgres` only carries messages. Default `redis`. */
  kind?: "redis" | "postgres";
  /** How long a node's announcement lives unless renewed, milliseconds; default 3,000. */
  keyTtlMs?: number;
}

/** A message on its way. */
export interface Envelope {
  to: BootId | "all";
  message: ClusterMessage;
}

/**
 * What the nodes of a simulation share beside the database: messages, announcements, the election's lock. Each node attaches once.
 * Messages arrive in the order they were sent, after the sender's own step; everything here may be lost at any time.
 *
 * @example
 * const bus = new MemoryBus({ clock });
 * const coordination = bus.attach();
 * bus.setAvailable(false); // as if Redis were stopped
 */
export class MemoryBus {
  /** Messages for which this returns true are lost on their way, though their sender believes they arrived. */
  lose: ((envelope: Envelope) => boolean) | null = null;
  readonly kind: "redis" | "postgres";
  private readonly receivers = new Map<BootId, (message: ClusterMessage) => void>();
  private readonly announcements = new Map<string, { announcement: NodeAnnouncement; untilMonoMs: number }>();
  private lock: { bootId: BootId; untilMonoMs: number } | null = null;
  private down: string | null = null;

  constructor(private readonly options: MemoryBusOptions) {
    this.kind = options.kind ?? "redis";
  }

  attach(): MemoryCoordination {
    return new MemoryCoordination(this);
  }

  /** Stops or starts the medium for all nodes. What it held is kept, and expires as always. */
  setAvailable(available: boolean, detail = "set unavailable"): void {
    this.down = available ? null : detail;
  }

  /** Why it does not work just now; null: it does. */
  get outage(): string | null {
    return this.down;
  }

  /** Forgets announcements and the lock, as a flushed Redis does. */
  flush(): void {
    this.announcements.clear();
    this.lock = null;
  }

  /** What is announced now, by label. */
  announced(): Map<string, NodeAnnouncement> {
    const now = this.options.clock.monotonicMs();
    const alive = [...this.announcements].filter(([, { untilMonoMs }]) => untilMonoMs > now);
    return new Map(alive.map(([label, { announcement }]) => [label, announcement]));
  }

  announce(announcement: NodeAnnouncement): void {
    const untilMonoMs = this.options.clock.monotonicMs() + (this.options.keyTtlMs ?? 3_000);
    this.announcements.set(announcement.label, { announcement: copyOf(announcement), untilMonoMs });
  }

  withdraw(label: string): void {
    this.announcements.delete(label);
  }

  subscribe(bootId: BootId, receive: (message: ClusterMessage) => void): void {
    this.receivers.set(bootId, receive);
  }

  unsubscribe(bootId: BootId): void {
    this.receivers.delete(bootId);
  }

  /** How many nodes it reached. */
  send(envelope: Envelope): number {
    const targets = envelope.to === "all" ? [...this.receivers.keys()] : [envelope.to];
    const reached = targets.filter((bootId) => this.receivers.has(bootId));
    if (!this.lose?.(envelope)) for (const bootId of reached) this.deliver(bootId, envelope.message);
    return reached.length;
  }

  tryLock(bootId: BootId, ttlMs: number): boolean {
    const now = this.options.clock.monotonicMs();
    const free = this.lock === null || this.lock.untilMonoMs <= now || this.lock.bootId === bootId;
    if (free) this.lock = { bootId, untilMonoMs: now + ttlMs };
    return free;
  }

  unlock(bootId: BootId): void {
    if (this.lock?.bootId === bootId) this.lock = null;
  }

  private deliver(bootId: BootId, message: ClusterMessage): void {
    const copy = copyOf(message);
    queueMicrotask(() => {
      if (this.down === null) this.receivers.get(bootId)?.(copy);
    });
  }
}

/** One node's access to a {@link MemoryBus}: a {@link Coordination} in memory. */
export class MemoryCoordination implements Coordination {
  private subscribed: BootId | null = null;
  private campaigned: BootId | null = null;
  private cutOff: string | null = null;

  constructor(private readonly bus: MemoryBus) {}

  get kind(): "redis" | "postgres" {
    return this.bus.kind;
  }

  /** Cuts this node off from the medium, or lets it back; messages to it are lost meanwhile. */
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

  async subscribe(bootId: BootId, receive: (message: ClusterMessage) => void): Promise<void> {
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

  async campaign(bootId: BootId, ttlMs: number): Promise<"held" | "refused" | "unavailable"> {
    if (!this.works() || this.kind === "postgres") return "unavailable";
    this.campaigned = bootId;
    return this.bus.tryLock(bootId, ttlMs) ? "held" : "refused";
  }

  async yieldLeadership(): Promise<void> {
    if (this.works() && this.campaigned !== null) this.bus.unlock(this.campaigned);
  }

  private works(): boolean {
    return this.health().available;
  }
}
