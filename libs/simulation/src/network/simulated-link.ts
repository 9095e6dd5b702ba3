import type { VirtualTime } from "../time/virtual-time.js";

/** Which way something goes: `out` from the node to the server, `in` from the server to the node. */
export type Way = "out" | "in";

export interface LinkFaults {
  /**
   * Up to this much is added to each latency, by chance. A message that goes the same way on one connection waits
   * behind it.
   */
  maxDelayMs: number;
  /** How likely a connection breaks with a command: before it is executed, or when it was, and its reply is lost. */
  breakRate: number;
  /** How likely a message is lost though its connection goes on. */
  messageLossRate: number;
  /** Messages overtake each other. */
  reordersMessages: boolean;
}

const NO_FAULTS: LinkFaults = { maxDelayMs: 0, breakRate: 0, messageLossRate: 0, reordersMessages: false };

const MIN_LATENCY_MS = 0.1;
const MAX_LATENCY_MS = 5;
/**
 * What follows on one connection arrives this much later at least, so that no instant is shared and the order holds.
 */
const ORDER_GAP_MS = 0.001;
/** How long a sender may still sleep between two tries when a cut ends. */
const MAX_RETRY_SLEEP_MS = 200;

/** One way of one connection: what goes on it keeps its order. */
export interface Lane {
  lastMs: number;
}

interface Packet {
  way: Way;
  lane: Lane | null;
  number: number;
  arrive: () => void;
}

/**
 * The network between one node and one server, for all the node's connections to it.
 *
 * As with TCP, what is sent while a way is cut is not lost: it is sent again until the cut ends, and arrives then,
 * unless its connection has been given up by that time. A cut of one way leaves the other open, so commands are
 * executed whose replies do not come back. Latencies are drawn from the seed.
 *
 * @example
 * const link = redis.newLink();
 * link.cut("in"); // commands arrive, replies and messages do not
 * link.heal();
 */
export class SimulatedLink {
  private readonly cutWays = new Set<Way>();
  private held: Packet[] = [];
  private sent = 0;
  private own: LinkFaults = NO_FAULTS;

  constructor(private readonly time: VirtualTime) {}

  /** From now on it has these faults, and no others. */
  set faults(faults: Partial<LinkFaults>) {
    this.own = { ...NO_FAULTS, ...faults };
  }

  get faults(): LinkFaults {
    return this.own;
  }

  /** Nothing passes any more, that way or either. */
  cut(way: Way | "both" = "both"): void {
    for (const one of ["out", "in"] as const) if (way === one || way === "both") this.cutWays.add(one);
  }

  /** Ends all cuts. */
  heal(): void {
    const packets = this.held.sort((one, other) => one.number - other.number);
    this.held = [];
    this.cutWays.clear();
    const sleepMs = this.time.random.next() * MAX_RETRY_SLEEP_MS;
    for (const packet of packets) this.travel(packet, sleepMs);
  }

  isCut(way: Way): boolean {
    return this.cutWays.has(way);
  }

  /** For connections: calls `arrive` on the far side, some time later, after all that went before on the lane. */
  carry(way: Way, lane: Lane | null, arrive: () => void): void {
    const packet = { way, lane, arrive, number: this.sent++ };
    if (this.isCut(way)) this.held.push(packet);
    else this.travel(packet, 0);
  }

  private travel(packet: Packet, extraMs: number): void {
    const { lane } = packet;
    const nowMs = this.time.monotonicMs();
    let atMs = nowMs + this.latencyMs() + extraMs;
    if (lane !== null) {
      atMs = Math.max(atMs, lane.lastMs + ORDER_GAP_MS);
      lane.lastMs = atMs;
    }
    this.time.setTimer(atMs - nowMs, () => {
      if (this.isCut(packet.way)) this.held.push(packet);
      else packet.arrive();
    });
  }

  private latencyMs(): number {
    const { random } = this.time;
    const share = random.next();
    // Most are near the lower end.
    const usualMs = MIN_LATENCY_MS + (MAX_LATENCY_MS - MIN_LATENCY_MS) * share * share * share;
    const { maxDelayMs } = this.own;
    return maxDelayMs === 0 ? usualMs : usualMs + random.next() * maxDelayMs;
  }
}
