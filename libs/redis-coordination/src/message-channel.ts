import { type BootId, type Clock, decodeText } from "@tickwheel/core";
import type { NodeKeys } from "./node-keys.js";
import { RedisConnection } from "./redis-connection.js";
import type { RedisSource } from "./redis-source.js";

/** How often a silent subscription is asked whether it is still there. */
const PING_INTERVAL_MS = 1_000;

interface Subscription {
  channels: string[];
  receive: (message: unknown) => void;
}

/** The receiving end: a connection of its own that subscribes anew whenever it comes back. */
export class MessageChannel {
  private readonly connection: RedisConnection;
  private wanted: Subscription | null = null;
  private pingedMonoMs = 0;

  constructor(
    source: RedisSource,
    private readonly clock: Clock,
    private readonly keys: NodeKeys,
  ) {
    const onReady = (): void => void this.subscribeWanted();
    this.connection = new RedisConnection({ source, clock, key: keys.leader, onReady });
    this.connection.client.on("message", (channel: string, text: string) => this.deliver(channel, text));
  }

  /** Why nothing is received just now; null: it is, or nobody wants to receive. */
  get trouble(): string | null {
    return this.wanted === null ? null : this.connection.trouble;
  }

  async listen(bootId: BootId, receive: (message: unknown) => void): Promise<void> {
    const before = this.wanted?.channels[0];
    this.wanted = { channels: [this.keys.channel(bootId), this.keys.channel("all")], receive };
    await this.connection.open();
    await this.subscribeWanted();
    if (before !== undefined && before !== this.wanted.channels[0]) {
      await this.connection.call((client) => client.unsubscribe(before));
    }
  }

  async close(): Promise<void> {
    this.wanted = null;
    await this.connection.close();
  }

  /**
   * Notices a connection that died without a word, and one to a node of a Cluster where nobody sends any more. Never
   * waits.
   *
   * @param master where messages are sent, in a Cluster; null: not known, or there is no Cluster
   */
  checkNow(master: string | null): void {
    const nowMonoMs = this.clock.monotonicMs();
    if (this.wanted === null || nowMonoMs - this.pingedMonoMs < PING_INTERVAL_MS) return;
    this.pingedMonoMs = nowMonoMs;
    const isElsewhere = master !== null && this.connection.isReady && this.connection.master !== master;
    if (isElsewhere) this.connection.client.disconnect(true);
    else void this.connection.call((client) => client.ping());
  }

  private async subscribeWanted(): Promise<void> {
    const { wanted } = this;
    if (wanted !== null) await this.connection.call((client) => client.subscribe(...wanted.channels));
  }

  private deliver(channel: string, text: string): void {
    if (this.wanted?.channels.includes(channel)) this.wanted.receive(decodeText(text));
  }
}
