import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

const LENGTH_BYTES = 4;
const HOST = Buffer.from("127.0.0.1");

/**
 * A way to a Kafka broker from a port that stays the same when the broker's own port changes. A broker tells clients
 * its address; the relay writes its own port in the place of the broker's, so all connections come here.
 */
export class KafkaRelay {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();

  constructor(readonly port: number) {}

  /** Takes connections from now on, and leads them to the broker's port. */
  async open(brokerPort: number): Promise<void> {
    await this.close();
    this.server = createServer((client) => this.pass(client, brokerPort));
    this.server.listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
  }

  /** Closes all connections. New ones are refused. */
  async close(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, "close");
    this.server.close();
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
    this.server = undefined;
  }

  private pass(client: Socket, brokerPort: number): void {
    const broker = connect(brokerPort, HOST.toString());
    const answers = new AnswerFrames(addressBytes(brokerPort), addressBytes(this.port));
    client.on("data", (chunk) => broker.write(chunk));
    broker.on("data", (chunk) => client.write(answers.take(chunk)));
    for (const [one, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      this.sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}

/** Cuts a stream into whole answers, so that an address in them is never in two pieces. */
class AnswerFrames {
  private rest: Buffer = Buffer.alloc(0);

  constructor(
    private readonly own: Buffer,
    private readonly shown: Buffer,
  ) {}

  /** @returns the answers that are complete now */
  take(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.rest, chunk]);
    let end = 0;
    while (bytes.length >= end + LENGTH_BYTES) {
      const next = end + LENGTH_BYTES + bytes.readInt32BE(end);
      if (next > bytes.length) break;
      end = next;
    }
    this.rest = bytes.subarray(end);
    return this.withShown(bytes.subarray(0, end));
  }

  private withShown(answers: Buffer): Buffer {
    for (let at = answers.indexOf(this.own); at >= 0; at = answers.indexOf(this.own, at + 1))
      this.shown.copy(answers, at);
    return answers;
  }
}

/** How Kafka's protocol writes an address: the host, then the port in four bytes. */
function addressBytes(port: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeInt32BE(port);
  return Buffer.concat([HOST, bytes]);
}
