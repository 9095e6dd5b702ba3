import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const ANSWER_MS = 20;
const SLOW_ANSWER_MS = 2_000;
const SLOW_EVERY = 50;

/** How long the provider takes for its nth answer, from 1 on. */
export function answerDelayMs(answer: number): number {
  return answer % SLOW_EVERY === 0 ? SLOW_ANSWER_MS : ANSWER_MS;
}

/**
 * A payment provider that knows of no payment. It takes 20 ms to say so, and every 50th time 2 s, so that handlers are
 * running whenever a node dies.
 */
export class PaymentProvider {
  private answers = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PaymentProvider> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const provider = new PaymentProvider(server);
    server.on("request", (_, response) => {
      provider.answers += 1;
      const answer = (): unknown => response.setHeader("content-type", "application/json").end('{"paid":false}');
      setTimeout(answer, answerDelayMs(provider.answers));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
