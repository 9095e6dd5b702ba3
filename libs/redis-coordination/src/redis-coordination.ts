import {
  type BootId,
  type Clock,
  type ClusterMessage,
  type Coordination,
  type NodeAnnouncement,
  type NodeBeat,
  SlotSet,
  type UnsafeSetting,
  unsafeRedisSetting,
} from "@tickwheel/core";
import type { ChainableCommander } from "ioredis";
import { ElectionLock } from "./election-lock.js";
import { MessageChannel } from "./message-channel.js";
import { BEAT_FIELDS, beatOf, fieldsOf, MAX_LABEL_LENGTH, NodeKeys } from "./node-keys.js";
import { RedisConnection } from "./redis-connection.js";
import type { RedisSource } from "./redis-source.js";
import { slotRanges } from "./slot-ranges.js";

/** [all-bounded]: the most nodes whose beats are read, no matter which nodes are said to be there. */
const MAX_NODES = 1_000;

export interface RedisCoordinationOptions {
  redis: RedisSource;
  /** Nodes of one cluster name it alike; no braces. */
  cluster: string;
  clock: Clock;
  /** How long a node's keys live unless renewed, milliseconds. */
  redisKeyTtlMs: number;
}

/**
 * Coordination over Redis: keys that expire, messages by publish and subscribe, Redlock to damp elections.
 *
 * Two connections, one to ask and one (made by the first `subscribe`) to receive. No call throws or takes longer than
 * 250 ms; while Redis is away calls fail at once and the connections come back by themselves, the subscription with
 * them. Under Sentinel and in a Cluster they go to the primary, and to the next one after a fail-over. A message sent
 * meanwhile is lost, and its sender knows that it reached nobody. Nothing here is a fact: all keys
 * may be deleted at any time, or hold what somebody else has written.
 *
 * @example
 * const coordination = new RedisCoordination({ redis: "redis://localhost", cluster: "orders", clock, redisKeyTtlMs: 3_000 });
 */
export class RedisCoordination implements Coordination {
  readonly kind = "redis";
  private readonly connection: RedisConnection;
  private readonly channel: MessageChannel;
  private readonly lock: ElectionLock;
  private readonly keys: NodeKeys;
  /** The labels of the nodes that the last look found. */
  private labels: readonly string[] = [];

  constructor(private readonly options: RedisCoordinationOptions) {
    const { redis, clock, cluster } = options;
    this.keys = new NodeKeys(cluster);
    this.connection = new RedisConnection({ source: redis, clock, key: this.keys.leader });
    this.channel = new MessageChannel(redis, clock, this.keys);
    this.lock = new ElectionLock(this.connection, clock, this.keys.leader);
  }

  health(): { available: boolean; detail: string | null } {
    const detail = this.connection.trouble ?? this.channel.trouble;
    return { available: detail === null, detail };
  }

  /** Resolves when Redis is reached, or after a second without it. */
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
    const text = JSON.stringify(message);
    const reached = await this.connection.call((client) => client.publish(this.keys.channel(to), text));
    return (reached ?? 0) > 0;
  }

  /** One round trip while the nodes stay the same, two where one has come. */
  async readBeats(): Promise<NodeBeat[] | null> {
    this.channel.checkNow(this.connection.isReady ? this.connection.master : null);
    return this.connection.call(async (client) => {
      const expected = this.labels;
      const look = this.addHashes(client.pipeline().srandmember(this.keys.nodes, MAX_NODES), expected);
      const [[failure, found], ...hashes] = (await look.exec()) as [Answer<string[]>, ...Answer<Hash>[]];
      if (failure) throw failure;
      const labels = found.filter((label) => label.length <= MAX_LABEL_LENGTH);
      const known = new Set(expected);
      const newcomers = labels.filter((label) => !known.has(label));
      const others = newcomers.length === 0 ? [] : await this.addHashes(client.pipeline(), newcomers).exec();
      const answers = [...hashes, ...((others ?? []) as Answer<Hash>[])];
      const byLabel = new Map([...expected, ...newcomers].map((label, at) => [label, answers[at]!]));
      const beats = labels.flatMap((label) => readHash(label, byLabel.get(label)!) ?? []);
      if (beats.length < labels.length) this.forgetLabels(labels, beats);
      this.labels = labels;
      return beats;
    });
  }

  async announce(announcement: NodeAnnouncement): Promise<void> {
    const { label, ownedSlots } = announcement;
    const { redisKeyTtlMs } = this.options;
    const slots = slotRanges(new SlotSet(ownedSlots));
    const answers = await this.connection.call((client) =>
      client
        .multi()
        .hset(this.keys.node(label), fieldsOf(announcement))
        .pexpire(this.keys.node(label), redisKeyTtlMs)
        .set(this.keys.owned(label), slots, "PX", redisKeyTtlMs)
        .sadd(this.keys.nodes, label)
        .pexpire(this.keys.nodes, redisKeyTtlMs)
        .exec(),
    );
    // Something of another kind is in a key's place; the next beat finds it free.
    const isRefused = answers?.some(([error]) => error !== null) ?? false;
    if (isRefused) await this.connection.call((client) => client.del(this.keys.node(label), this.keys.nodes));
  }

  async withdraw(label: string): Promise<void> {
    await this.connection.call((client) =>
      client.multi().del(this.keys.node(label), this.keys.owned(label)).srem(this.keys.nodes, label).exec(),
    );
  }

  campaign(_bootId: BootId, ttlMs: number): Promise<"held" | "refused" | "unavailable"> {
    return this.lock.campaign(ttlMs);
  }

  yieldLeadership(): Promise<void> {
    return this.lock.release();
  }

  /** From `INFO memory` of the server in use, which also servers answer that do not let their settings be read. */
  async unsafeSetting(): Promise<UnsafeSetting | null | undefined> {
    const memory = await this.connection.call((client) => client.info("memory").catch(() => ""));
    const bytes = fieldIn(memory ?? "", "maxmemory");
    const policy = fieldIn(memory ?? "", "maxmemory_policy");
    if (bytes === undefined || policy === undefined) return undefined;
    return unsafeRedisSetting(Number(bytes), policy);
  }

  private addHashes(pipeline: ChainableCommander, labels: readonly string[]): ChainableCommander {
    return labels.reduce((commands, label) => commands.hmget(this.keys.node(label), ...BEAT_FIELDS), pipeline);
  }

  /**
   * Takes labels whose keys have expired from the set. A node that came back just now is in it again with its next
   * beat.
   */
  private forgetLabels(labels: readonly string[], beats: readonly NodeBeat[]): void {
    const alive = new Set(beats.map((beat) => beat.label));
    const gone = labels.filter((label) => !alive.has(label));
    void this.connection.call((client) => client.srem(this.keys.nodes, ...gone));
  }
}

type Hash = (string | null)[];
/** The answer of a command in a pipeline. */
type Answer<Value> = [Error, null] | [null, Value];

/**
 * A key that is no hash, which Redis refuses to read as one, is none of ours, and hides no other node. @throws the
 * connection's errors
 */
function readHash(label: string, [failure, fields]: Answer<Hash>): NodeBeat | null {
  if (failure === null) return beatOf(label, fields);
  if (failure.name === "ReplyError") return null;
  throw failure;
}

/** A field of what `INFO` answers. */
function fieldIn(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\r?$`, "m").exec(info)?.[1];
}
