import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a request is answered with. */
export type Script = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP service on this machine that answers as the test says, and keeps what it was asked. */
export class ScriptedService {
  readonly requests: IncomingMessage[] = [];
  answer: Script = (_request, response) => response.end();

  private constructor(private readonly server: Server) {
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.requests.push(request);
      this.answer(request, response);
    });
  }

  static async start(): Promise<ScriptedService> {
    const server = createServer();
    const service = new ScriptedService(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
