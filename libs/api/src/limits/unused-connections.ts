import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes the connections on which nothing was sent yet when the application stops.
 *
 * Node does not count them as idle, so `app.close()` would wait for the time-out of their headers, which is a minute
 * where nobody has set it. Browsers open such connections ahead, and `fetch` of Node does when a call was aborted.
 */
@Injectable()
export class UnusedConnections implements OnModuleInit, BeforeApplicationShutdown {
  private readonly open = new Set<Socket>();

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const server: unknown = this.host.httpAdapter?.getHttpServer();
    if (!(server instanceof Server)) return;
    server.on("connection", (socket) => {
      this.open.add(socket);
      socket.once("close", () => this.open.delete(socket));
    });
  }

  beforeApplicationShutdown(): void {
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }
}
