import type { BootId, Clock, ClusterMessage, Coordination, NodeAnnouncement, NodeBeat } from "@tickwheel/core";
import { copyOf } from "@tickwheel/testing";
import type { RedisKeyspace } from "./redis-keyspace.js";
import { SimulatedElectionLock } from "./simulated-election-lock.js";
import { type RedisEnds, SimulatedRedisConnection } from "./simulated-redis-connection.js";
import type { SimulatedWire } from "../network/simulated-wire.js";

const PING_INTERVAL_MS = 1_000;
const NODES_KEY = "nodes";
export const NODE_PREFIX = "node:";
export const OWNED_PREFIX = "owned:";

/** Messages between the connections of one Redis. */
export interface MessageExchange {
  /** What is sent to these goes to this connection too, from now on. */
  subscribe(wire: SimulatedWire, to: readonly string[], receive: (to: string, message: unknown) => void): void;
  unsubscribe(wire: SimulatedWire, to: string): void;
  /** To how many connections it went. */
  publish(to: BootId | "all", message: ClusterMessage): number;
}

export interface RedisCoordinationEnds extends RedisEnds {
  exchange: MessageExchange;
  keyTtlMs: number;
  newToken: () => string;
}

/**
 * One node's access to a {@link SimulatedRedis}: does what `RedisCoordination` does, command for command. Two
 * connections, one to ask and one (made by the first `subscribe`) to receive; no call throws, and none takes longer
 * than 250 ms of the node's time.
 */
export class SimulatedRedisCoordination implements Coordination {
  readonly kind = "redis";
  private readonly connection: SimulatedRedisConnection;
  private readonly channel: MessageChannel;
  private readonly lock: SimulatedElectionLock;

  constructor(private readonly ends: RedisCoordinationEnds) {
    this.connection = new SimulatedRedisConnection(ends);
    this.channel = new MessageChannel(ends);
    this.lock = new SimulatedElectionLock(this.connection, ends.loop, ends.newToken);
  }

  health(): { available: boolean; detail: string | null } {
    const detail = this.connection.trouble ?? this.channel.trouble;
    return { available: detail === null, detail };
  }

  start(): Promise<void> {
    return this.connection.open();
  }

  async stop(): Promise<void> {
    await this.lock.release();
    await Promise.all([this.channel.close(), this.connection.close()]);
  }

  subscribe(bootId: BootId, receive: (message: unknown) => void): Promise<void> {
    return this.channel.listen(bootId, receive);
  }

  async send(to: BootId | "all", message: ClusterMessage): Promise<boolean> {
    const copy = copyOf(message);
    return ((await this.ask(() => this.ends.exchange.publish(to, copy))) ?? 0) > 0;
  }

  async readBeats(): Promise<NodeBeat[] | null> {
    this.channel.checkNow();
    return this.connection.call(async () => {
      const labels = await this.connection.execute(labelsOf);
      if (labels.length === 0) return [];
      const beats = await this.connection.execute((keys) => labels.flatMap((label) => beatOf(keys, label)));
      if (beats.length < labels.length) this.forgetLabels(labels, beats);
      return beats;
    });
  }

  async announce(announcement: NodeAnnouncement): Promise<void> {
    const { ownedSlots, ...beat } = copyOf(announcement);
    const { label } = beat;
    // What is read is the thing itself, as often as anybody reads it.
    Object.freeze(beat.vitals);
    Object.freeze(beat);
    const { keyTtlMs } = this.ends;
    await this.ask((keys) => {
      keys.set(NODE_PREFIX + label, beat, keyTtlMs);
      keys.set(OWNED_PREFIX + label, ownedSlots, keyTtlMs);
      keys.set(NODES_KEY, [...labelsOf(keys).filter((other) => other !== label), label], keyTtlMs);
    });
  }

  async withdraw(label: string): Promise<void> {
    await this.ask((keys) => {
      keys.delete(NODE_PREFIX + label);
      keys.delete(OWNED_PREFIX + label);
      removeLabels(keys, [label]);
    });
  }

  campaign(_bootId: BootId, ttlMs: number): Promise<"held" | "refused" | "unavailable"> {
    return this.lock.campaign(ttlMs);
  }

  yieldLeadership(): Promise<void> {
    return this.lock.release();
  }

  private ask<T>(command: (keys: RedisKeyspace) => T): Promise<T | null> {
    return this.connection.call(() => this.connection.execute(command));
  }

  private forgetLabels(labels: readonly string[], beats: readonly NodeBeat[]): void {
    const alive = new Set(beats.map((beat) => beat.label));
    const gone = labels.filter((label) => !alive.has(label));
    void this.ask((keys) => removeLabels(keys, gone));
  }
}

/** The receiving end: a connection of its own that subscribes anew whenever it comes back. */
class MessageChannel {
  private readonly connection: SimulatedRedisConnection;
  private readonly clock: Clock;
  private wanted: { bootId: BootId; receive: (message: unknown) => void } | null = null;
  private pingedMonoMs = 0;

  constructor(private readonly ends: RedisCoordinationEnds) {
    this.clock = ends.loop;
    this.connection = new SimulatedRedisConnection(ends, () => void this.subscribeWanted());
  }

  get trouble(): string | null {
    return this.wanted === null ? null : this.connection.trouble;
  }

  async listen(bootId: BootId, receive: (message: unknown) => void): Promise<void> {
    const before = this.wanted?.bootId;
    this.wanted = { bootId, receive };
    await this.connection.open();
    await this.subscribeWanted();
    if (before !== undefined && before !== bootId) {
      await this.execute((wire) => this.ends.exchange.unsubscribe(wire, before));
    }
  }

  async close(): Promise<void> {
    this.wanted = null;
    await this.connection.close();
  }

  checkNow(): void {
    const nowMonoMs = this.clock.monotonicMs();
    if (this.wanted === null || nowMonoMs - this.pingedMonoMs < PING_INTERVAL_MS) return;
    this.pingedMonoMs = nowMonoMs;
    void this.execute(() => undefined);
  }

  private async subscribeWanted(): Promise<void> {
    const { wanted } = this;
    if (wanted === null) return;
    const { exchange } = this.ends;
    await this.execute((wire) =>
      exchange.subscribe(wire, [wanted.bootId, "all"], (to, message) => this.receive(to, message)),
    );
  }

  private receive(to: string, message: unknown): void {
    this.connection.heard();
    const { wanted } = this;
    if (wanted !== null && (to === "all" || to === wanted.bootId)) wanted.receive(message);
  }

  private execute(command: (wire: SimulatedWire) => void): Promise<void | null> {
    return this.connection.call(() => this.connection.execute((_keys, wire) => command(wire)));
  }
}

function labelsOf(keys: RedisKeyspace): string[] {
  return (keys.get(NODES_KEY) as string[] | undefined) ?? [];
}

function removeLabels(keys: RedisKeyspace, gone: readonly string[]): void {
  const left = labelsOf(keys).filter((label) => !gone.includes(label));
  if (left.length === 0) keys.delete(NODES_KEY);
  else keys.replace(NODES_KEY, left);
}

function beatOf(keys: RedisKeyspace, label: string): NodeBeat[] {
  const beat = keys.get(NODE_PREFIX + label) as NodeBeat | undefined;
  return beat === undefined ? [] : [beat];
}
