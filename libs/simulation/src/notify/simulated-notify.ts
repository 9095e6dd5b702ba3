import type { Clock } from "@tickwheel/core";
import { copyOf } from "@tickwheel/testing";
import { SimulatedLink } from "../network/simulated-link.js";
import type { Inlet } from "../time/simulated-loop.js";
import { type NotifyEnvelope, SimulatedNotifyCoordination } from "./simulated-notify-coordination.js";
import { SimulatedServer } from "../network/simulated-server.js";
import type { SimulatedWire } from "../network/simulated-wire.js";
import type { VirtualTime } from "../time/virtual-time.js";
import { type SessionEnds, WireSession } from "../network/wire-session.js";

const CONNECT_LIMIT_MS = 2_000;

/**
 * How a node's NOTIFY reaches the database: runs a statement that commits, calls `committed` then, and resolves with
 * its reply.
 */
export type NotifyStatement = (committed: () => void) => Promise<void>;

/**
 * LISTEN and NOTIFY of a simulated Postgres: what is said in a transaction goes, when it commits, to all sessions that
 * listen at that moment, in the order of commits, and is lost with a session that breaks. The listening sessions end,
 * and new ones fail, when the database stops; its model says so by `stop` and `start`.
 *
 * @example
 * const notify = new SimulatedNotify({ time });
 * const link = notify.newLink();
 * const coordination = notify.attach(clock, { link, statement: (committed) => connection.notify(committed) });
 * new FallbackCoordination(redis.attach(clock, redisLink), coordination);
 */
export class SimulatedNotify {
  private readonly time: VirtualTime;
  private readonly isPooled: boolean;
  private readonly listeners = new Map<SimulatedWire, (envelope: NotifyEnvelope) => void>();
  private readonly server = new SimulatedServer((wire) => this.listeners.delete(wire));

  /**
   * @param given `isPooled`: behind a pooler in transaction mode, where a session listens and nothing that was said
   *   comes to it
   */
  constructor({ time, isPooled = false }: { time: VirtualTime; isPooled?: boolean }) {
    this.time = time;
    this.isPooled = isPooled;
  }

  /** The network between it and one more node. */
  newLink(): SimulatedLink {
    return new SimulatedLink(this.time);
  }

  /**
   * One more node.
   * @param way `statement`: by default one over a session of its own, which knows of no other fault than this server's
   *   and the link's
   */
  attach(
    loop: Clock & Inlet,
    { link, statement }: { link: SimulatedLink; statement?: NotifyStatement },
  ): SimulatedNotifyCoordination {
    const session = { server: this.server, link, loop, random: this.time.random };
    const run = statement ?? statementOver(session);
    return new SimulatedNotifyCoordination({
      ...session,
      listen: (wire, receive) => {
        if (!this.isPooled) this.listeners.set(wire, receive);
      },
      send: (envelope) => run(() => this.commit(envelope)),
    });
  }

  /** The database is gone, with all sessions. */
  stop(): void {
    this.server.stop();
  }

  /** The database is there again, or goes on after a `hang`. */
  start(): void {
    this.server.start();
  }

  /** The database answers nothing until it is started again. */
  hang(): void {
    this.server.hang();
  }

  /** Somebody ends the listening sessions; the database goes on. */
  breakSessions(): void {
    this.server.resetAll();
  }

  /** Somebody who is no node says something to one, or to all: whatever he likes. */
  say(to: string, message: unknown): void {
    this.commit({ to, message });
  }

  /** Says something to all who listen, as a transaction that commits just now. */
  commit(envelope: NotifyEnvelope): void {
    for (const [wire, receive] of this.listeners) {
      if (wire.isDeserted) this.server.forget(wire);
      else wire.push(() => receive(copyOf(envelope)));
    }
  }
}

/** Statements over one session, opened when it is needed. */
function statementOver(ends: SessionEnds): NotifyStatement {
  let session: WireSession | null = null;
  return async (committed) => {
    if (session === null || session.broken.aborted) session = await WireSession.open(ends, CONNECT_LIMIT_MS);
    await session.ask(committed, CONNECT_LIMIT_MS);
  };
}
