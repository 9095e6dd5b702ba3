import type { BootId, Clock, NodeAnnouncement, NodeBeat } from "@tickwheel/core";
import { copyOf } from "@tickwheel/testing";
import { RedisKeyspace } from "./redis-keyspace.js";
import { LEADER_KEY } from "./simulated-election-lock.js";
import { SimulatedLink } from "../network/simulated-link.js";
import type { Inlet } from "../time/simulated-loop.js";
import {
  type MessageExchange,
  NODE_PREFIX,
  OWNED_PREFIX,
  SimulatedRedisCoordination,
} from "./simulated-redis-coordination.js";
import { SimulatedServer } from "../network/simulated-server.js";
import type { SimulatedWire } from "../network/simulated-wire.js";
import { SkewedTime } from "../time/skewed-time.js";
import type { VirtualTime } from "../time/virtual-time.js";

export interface SimulatedRedisOptions {
  time: VirtualTime;
  /** How long a node's keys live unless renewed, milliseconds; default 3,000. */
  keyTtlMs?: number;
}

interface Receiver {
  to: Set<string>;
  receive: (to: string, message: unknown) => void;
}

/**
 * One Redis of a simulation, and what can go wrong with it: it stops, hangs, is flushed, fails over to a replica that
 * lacks the last writes; its clock, by which keys expire, drifts and is stepped. Faults between it and one node are
 * those of its {@link SimulatedLink}. Commands are executed one at a time; messages go to the clients that are
 * subscribed at that moment and are kept for nobody.
 *
 * @example
 * const redis = new SimulatedRedis({ time });
 * const link = redis.newLink(); // one for each node, for its main loop and its worker
 * const coordination = redis.attach(clock, link);
 * const ofWorker = redis.attach(clock.worker, link);
 * time.setTimer(5_000, () => redis.stop());
 * time.setTimer(9_000, () => redis.start({ forgetMs: Infinity }));
 */
export class SimulatedRedis {
  /** Its own clock, to be stepped. */
  readonly clock: SkewedTime;
  private readonly time: VirtualTime;
  private readonly keyTtlMs: number;
  private readonly keys: RedisKeyspace;
  private readonly receivers = new Map<SimulatedWire, Receiver>();
  private readonly server = new SimulatedServer((wire) => this.receivers.delete(wire));
  private readonly exchange: MessageExchange = {
    subscribe: (wire, to, receive) => {
      const before = this.receivers.get(wire)?.to ?? [];
      this.receivers.set(wire, { to: new Set([...before, ...to]), receive });
    },
    unsubscribe: (wire, to) => void this.receivers.get(wire)?.to.delete(to),
    publish: (to, message) => this.publish(to, message),
  };
  private tokens = 0;

  constructor({ time, keyTtlMs = 3_000 }: SimulatedRedisOptions) {
    this.time = time;
    this.keyTtlMs = keyTtlMs;
    this.clock = new SkewedTime(time);
    this.keys = new RedisKeyspace(this.clock, () => time.monotonicMs());
  }

  /** The network between it and one more node. */
  newLink(): SimulatedLink {
    return new SimulatedLink(this.time);
  }

  /** One more client; a node has one on its main loop and one on its worker. */
  attach(loop: Clock & Inlet, link: SimulatedLink): SimulatedRedisCoordination {
    const { server, keys, exchange, keyTtlMs } = this;
    const { random } = this.time;
    const newToken = (): string => `token-${this.tokens++}`;
    return new SimulatedRedisCoordination({ server, link, loop, random, keys, exchange, keyTtlMs, newToken });
  }

  /** Ends its process: all connections and subscriptions are lost, new ones refused. What it held is kept. */
  stop(): void {
    this.server.stop();
  }

  /**
   * Starts it, or lets it go on after a `hang`.
   * @param options `forgetMs`: it comes back without what was written in so many milliseconds; Infinity: empty. Default
   *   0
   */
  start({ forgetMs = 0 }: { forgetMs?: number } = {}): void {
    if (forgetMs > 0) this.keys.forget(forgetMs);
    this.server.start();
  }

  /** It answers nothing until it is started again; then it executes what has arrived meanwhile. */
  hang(): void {
    this.server.hang();
  }

  /** Deletes all keys; connections and subscriptions stay. */
  flush(): void {
    this.keys.clear();
  }

  /**
   * A replica takes its place at once, without what was written in the last `forgetMs` milliseconds (Infinity: it is
   * empty). All connections are lost.
   */
  failOver(forgetMs: number): void {
    this.stop();
    this.start({ forgetMs });
  }

  /** What is announced now, by label. */
  announced(): Map<string, NodeAnnouncement> {
    const nodes = this.keys.names().filter((name) => name.startsWith(NODE_PREFIX));
    return new Map(
      nodes.map((name) => {
        const beat = this.keys.get(name) as NodeBeat;
        const ownedSlots = this.keys.get(OWNED_PREFIX + beat.label) as Uint8Array;
        return [beat.label, copyOf({ ...beat, ownedSlots })];
      }),
    );
  }

  /** Somebody who is no node says something to one, or to all: whatever he likes. */
  say(to: BootId | "all", message: unknown): void {
    this.publish(to, message);
  }

  /** Somebody who is no node writes a beat under a node's name. */
  overwrite(beat: NodeBeat): void {
    this.keys.replace(NODE_PREFIX + beat.label, beat);
  }

  /** Whether anybody holds the election's lock, knowing it or not. */
  get isLocked(): boolean {
    return this.keys.get(LEADER_KEY) !== undefined;
  }

  private publish(to: BootId | "all", message: unknown): number {
    let reached = 0;
    for (const [wire, receiver] of this.receivers) {
      if (wire.isDeserted) this.server.forget(wire);
      else if (receiver.to.has(to)) {
        reached++;
        wire.push(() => receiver.receive(to, copyOf(message)));
      }
    }
    return reached;
  }
}
