import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasShownKey } from "@tickwheel/api";
import { AddressRanges } from "@tickwheel/executors";
import { type Connection, ConnectionCrowd } from "./connection-crowd.js";

export interface ConnectionLimits {
  /** Open at once, at most. */
  all: number;
  /** How many of those may come from one address. */
  address: number;
  /** Networks whose connections are others' behind a proxy: of these only `all` counts. */
  trusted: readonly string[];
}

/**
 * Holds a server's connections within the limits: one beyond them takes the place of the one that is needed least (see
 * {@link ConnectionCrowd}), and is ended itself where all are needed.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const doorway = new Doorway(limits);
  server.prependListener("connection", (socket: Socket) => doorway.enter(socket));
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) =>
    doorway.work(socket, response),
  );
}

class Doorway {
  private readonly proxies: AddressRanges;
  private readonly all: ConnectionCrowd<Visitor>;
  private readonly byAddress = new Map<string, ConnectionCrowd<Visitor>>();
  private readonly visitors = new WeakMap<Socket, Visitor>();

  constructor(private readonly limits: ConnectionLimits) {
    this.proxies = new AddressRanges(limits.trusted);
    this.all = new ConnectionCrowd(limits.all);
  }

  enter(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const isAlone = address !== "" && !this.proxies.holds(address);
    const visitor = new Visitor(socket, isAlone ? [this.crowdOf(address), this.all] : [this.all]);
    this.visitors.set(socket, visitor);
    socket.once("close", () => {
      visitor.leave();
      if (this.byAddress.get(address)?.isEmpty) this.byAddress.delete(address);
    });
    visitor.enter();
  }

  work(socket: Socket, response: ServerResponse): void {
    const visitor = this.visitors.get(socket);
    visitor?.begin();
    response.once("close", () => visitor?.end());
  }

  private crowdOf(address: string): ConnectionCrowd<Visitor> {
    const known = this.byAddress.get(address);
    const crowd = known ?? new ConnectionCrowd<Visitor>(this.limits.address);
    if (!known) this.byAddress.set(address, crowd);
    return crowd;
  }
}

/** A connection among all others, and among those of its address. */
class Visitor implements Connection {
  private requests = 0;

  constructor(
    private readonly socket: Socket,
    private readonly crowds: readonly ConnectionCrowd<Visitor>[],
  ) {}

  get isBusy(): boolean {
    return this.requests > 0;
  }

  get hasKey(): boolean {
    return hasShownKey(this.socket);
  }

  enter(): void {
    for (const crowd of this.crowds) crowd.add(this);
    for (const crowd of this.crowds) if (crowd.isTooLarge) (crowd.leastNeeded(this) ?? this).giveWay();
  }

  begin(): void {
    if (++this.requests === 1) this.tell();
  }

  end(): void {
    if (--this.requests === 0) this.tell();
  }

  /** Its place is free at once; the server hears of its end a little later. */
  leave(): void {
    for (const crowd of this.crowds) crowd.remove(this);
  }

  private giveWay(): void {
    this.leave();
    this.socket.destroy();
  }

  private tell(): void {
    for (const crowd of this.crowds) crowd.changed(this);
  }
}
