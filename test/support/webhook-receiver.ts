import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A webhook as it arrived. */
export interface Delivery {
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes that a signature covers. */
  text: string;
  body: { type: string; timestamp: string; data: { id: string; attempt: number; fence: number; payload: unknown } };
}

/**
 * A host that webhooks are delivered to. It answers 200 and `{"seen":true}`, or what `answer` and `body` say, and keeps
 * what it got.
 */
export class WebhookReceiver {
  readonly deliveries: Delivery[] = [];
  /** The status of the next answers; null: no answer at all; default 200. */
  answer: (delivery: Delivery) => number | null = () => 200;

  /** The body of the next answers, as JSON. */
  body = '{"seen":true}';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on("request", (request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => (text += part));
      request.on("end", () => {
        const { url: path = "", headers } = request;
        const delivery = { path, headers, text, body: JSON.parse(text) as Delivery["body"] };
        receiver.deliveries.push(delivery);
        const status = receiver.answer(delivery);
        if (status !== null) response.writeHead(status, { "content-type": "application/json" }).end(receiver.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  /** `host:port`, as in `webhookAllowedHosts`. */
  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  urlOf(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** What arrived at a path. */
  at(path: string): Delivery[] {
    return this.deliveries.filter((delivery) => delivery.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
