import type { BootId, ClusterMessage, Coordination, NodeAnnouncement, NodeBeat, UnsafeSetting } from "@tickwheel/core";

/**
 * Redis with Postgres' NOTIFY behind it. Messages go by Redis; a message that reached no node goes by NOTIFY; both are
 * listened to. Everything else (beats, keys, the election's lock) uses Redis alone: without it the store's rows are
 * read anyway. Health and `kind` are those of Redis, so that its outage shows.
 */
export class FallbackCoordination implements Coordination {
  constructor(
    private readonly primary: Coordination,
    private readonly fallback: Coordination,
  ) {}

  get kind(): Coordination["kind"] {
    return this.primary.kind;
  }

  health(): { available: boolean; detail: string | null } {
    return this.primary.health();
  }

  async start(): Promise<void> {
    await Promise.all([this.primary.start(), this.fallback.start()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.fallback.stop()]);
  }

  async subscribe(bootId: BootId, receive: (message: unknown) => void): Promise<void> {
    await Promise.all([this.primary.subscribe(bootId, receive), this.fallback.subscribe(bootId, receive)]);
  }

  async send(to: BootId | "all", message: ClusterMessage): Promise<boolean> {
    return (await this.primary.send(to, message)) || (await this.fallback.send(to, message));
  }

  readBeats(): Promise<NodeBeat[] | null> {
    return this.primary.readBeats();
  }

  announce(announcement: NodeAnnouncement): Promise<void> {
    return this.primary.announce(announcement);
  }

  withdraw(label: string): Promise<void> {
    return this.primary.withdraw(label);
  }

  campaign(bootId: BootId, ttlMs: number): Promise<"held" | "refused" | "unavailable"> {
    return this.primary.campaign(bootId, ttlMs);
  }

  yieldLeadership(): Promise<void> {
    return this.primary.yieldLeadership();
  }

  async unsafeSetting(): Promise<UnsafeSetting | null | undefined> {
    return this.primary.unsafeSetting?.();
  }
}
