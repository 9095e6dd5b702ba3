import { Agent as HttpAgent, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";

/**
 * Idle connections are closed after this time, in milliseconds, or a second before the host would close them: whichever
 * is sooner.
 */
const IDLE_MS = 4_000;

/**
 * Connections that are used again. One is kept only where the host has said for how long it keeps it, and until it
 * closes it or sends anything unasked: a request that meets the end of its connection would have to be taken for
 * delivered and not delivered.
 */
export class KeptConnections {
  readonly agents = {
    "http:": this.keeping(new HttpAgent({ keepAlive: true, timeout: IDLE_MS })),
    "https:": this.keeping(new HttpsAgent({ keepAlive: true, timeout: IDLE_MS })),
  };
  /** Connections whose last answer said for how long the host keeps them. */
  private readonly announced = new WeakSet<Duplex>();

  /** Tells of an answer, before its end. */
  answered({ socket, headers }: IncomingMessage): void {
    if (/\btimeout=\d/i.test(String(headers["keep-alive"]))) this.announced.add(socket);
    else this.announced.delete(socket);
  }

  /** Closes those that are idle. */
  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /** Node's agent leaves it to these two whether a connection is kept, and tells by them when it is used again. */
  private keeping(agent: HttpAgent): HttpAgent {
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
    const reuse = agent.reuseSocket.bind(agent);
    // Node reads the answer; a void would close the connection.
    agent.keepSocketAlive = ((socket: Duplex): boolean => {
      const isKept = this.announced.has(socket) && keep(socket);
      if (isKept) socket.on("data", endUnasked);
      return isKept;
    }) as typeof agent.keepSocketAlive;
    agent.reuseSocket = (socket, request) => {
      socket.off("data", endUnasked);
      reuse(socket, request);
    };
    return agent;
  }
}

function endUnasked(this: Duplex): void {
  this.destroy();
}
