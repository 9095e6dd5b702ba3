import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A way to a server that can be cut: all connections are reset, as by a crashed machine or a stateful firewall, and
 * none is taken until it is healed.
 *
 * @example
 * const way = await CutProxy.to(services.databaseUrl);
 * const node = await stage.app({ ...services, databaseUrl: way.url, types: ["order"] });
 * way.cut();
 */
export class CutProxy {
  private isCut = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(url: string): Promise<CutProxy> {
    const target = new URL(url);
    const server = createServer((client) => proxy.pass(client, target));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = String((server.address() as AddressInfo).port);
    const proxy = new CutProxy(server, through.href);
    return proxy;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  heal(): void {
    this.isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(client: Socket, { hostname, port }: URL): void {
    if (this.isCut) return void client.resetAndDestroy();
    const server = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on("error", () => {});
      one.on("close", () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
