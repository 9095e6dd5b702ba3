import type { Random } from "@tickwheel/core";
import type { Lane, SimulatedLink } from "./simulated-link.js";
import type { Inlet } from "../time/simulated-loop.js";
import type { SimulatedServer } from "./simulated-server.js";

/** Where a connection is made. */
export interface WireEnds {
  server: SimulatedServer;
  link: SimulatedLink;
  /** The loop whose code uses it: nothing leaves or enters a node that is stopped. */
  loop: Inlet;
  random: Random;
}

/** What a client hears of its connection, besides replies. */
export interface WireEvents {
  established(): void;
  refused(): void;
  /** The server, or the network, has ended it. */
  reset(): void;
}

/**
 * One connection of a node to a server, as TCP gives it: both ways keep their order, and nothing is lost but with the
 * connection. A client that closes it cannot take back what it has sent: that may still be executed, or not.
 */
export class SimulatedWire {
  private readonly lanes: { out: Lane; in: Lane } = { out: { lastMs: 0 }, in: { lastMs: 0 } };
  private isClosed = false;
  private outlivesItsClient = true;

  constructor(
    private readonly ends: WireEnds,
    private readonly events: WireEvents,
  ) {
    const { server } = ends;
    this.send(() => {
      if (this.isClosed) return;
      if (server.isStopped) return this.answer(() => this.events.refused());
      server.accept(this);
      this.answer(() => this.events.established());
    });
  }

  /** The server cannot reach the client any more, and knows it. */
  get isDeserted(): boolean {
    return this.ends.loop.isHalted && !this.ends.link.isCut("out");
  }

  /**
   * Executes a command on the server, unless the connection breaks before; the reply comes unless it breaks meanwhile.
   */
  request<T>(execute: () => T, reply: (value: T) => void): void {
    const { server } = this.ends;
    this.send(() => {
      if (this.isClosed && !this.outlivesItsClient) return;
      if (!server.knows(this)) return this.tellReset();
      if (this.breaksNow()) return this.reset();
      server.serve(() => {
        const value = execute();
        if (this.breaksNow()) this.reset();
        else this.answer(() => reply(value));
      });
    });
  }

  /** From the server, unasked. */
  push(arrive: () => void): void {
    const { link, random } = this.ends;
    const { messageLossRate, reordersMessages } = link.faults;
    if (messageLossRate > 0 && random.next() < messageLossRate) return;
    this.answer(arrive, reordersMessages ? null : this.lanes.in);
  }

  /** By the client: it hears nothing more. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.outlivesItsClient = this.ends.random.next() < 0.5;
    this.send(() => this.ends.server.serve(() => this.ends.server.forget(this)));
  }

  /** By the server. */
  reset(): void {
    this.ends.server.forget(this);
    this.tellReset();
  }

  private tellReset(): void {
    this.answer(() => this.events.reset());
  }

  private breaksNow(): boolean {
    const { breakRate } = this.ends.link.faults;
    return breakRate > 0 && this.ends.random.next() < breakRate / 2;
  }

  private send(arrive: () => void): void {
    const { loop, link } = this.ends;
    loop.deliver(() => link.carry("out", this.lanes.out, arrive));
  }

  private answer(arrive: () => void, lane: Lane | null = this.lanes.in): void {
    const { loop, link } = this.ends;
    link.carry("in", lane, () =>
      loop.deliver(() => {
        if (!this.isClosed) arrive();
      }),
    );
  }
}
