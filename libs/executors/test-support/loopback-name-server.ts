import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

/**
 * What the server says of a name: addresses, that there is none such, that it failed, that it will not say, or nothing.
 */
export type NameAnswer = readonly string[] | "no such name" | "failure" | "refusal" | "silence";

const CODES: Record<string, number> = { failure: 2, "no such name": 3, refusal: 5 };
const A = 1;
const AAAA = 28;
const IN = 1;

/**
 * A name server on loopback, by UDP. It answers as `answerTo` says, and keeps what it was asked.
 *
 * @example
 * const server = await LoopbackNameServer.start((name) => (name === "hook.example" ? ["192.0.2.1"] : "silence"));
 * new NameLookup(clock, { nameServers: [server.address] });
 */
export class LoopbackNameServer {
  /** Names in the order of the questions, those for IPv4 only: each look-up asks for IPv6, too. */
  readonly asked: string[] = [];
  /** Time to live of all answers, in seconds. */
  ttlSeconds = 5;

  private constructor(
    private readonly socket: Socket,
    /** May be changed at any time. `family`: 4 or 6. */
    public answerTo: (name: string, family: number) => NameAnswer,
  ) {
    socket.on("message", (message, sender) => this.reply(message, sender));
  }

  static async start(answerTo: (name: string, family: number) => NameAnswer): Promise<LoopbackNameServer> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new LoopbackNameServer(socket, answerTo);
  }

  /** As `nameServers` wants it. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async stop(): Promise<void> {
    this.socket.close();
    await once(this.socket, "close");
  }

  private reply(message: Buffer, { port, address }: RemoteInfo): void {
    const { name, type, end } = questionOf(message);
    if (type === A) this.asked.push(name);
    const answer = this.answerTo(name, type === AAAA ? 6 : 4);
    if (answer === "silence") return;
    const records = typeof answer === "string" ? [] : answer.filter((one) => isIPv4(one) === (type === A));
    const head = Buffer.from(message.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (typeof answer === "string" ? CODES[answer]! : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.fill(0, 8);
    const parts = records.map((record) => this.record(record));
    this.socket.send(Buffer.concat([head, message.subarray(12, end), ...parts]), port, address);
  }

  /** The name is a pointer to that of the question. */
  private record(address: string): Buffer {
    const data = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : bytesOfIPv6(address);
    const head = Buffer.alloc(12);
    head.writeUInt16BE(0xc00c, 0);
    head.writeUInt16BE(data.length === 4 ? A : AAAA, 2);
    head.writeUInt16BE(IN, 4);
    head.writeUInt32BE(this.ttlSeconds, 6);
    head.writeUInt16BE(data.length, 10);
    return Buffer.concat([head, data]);
  }
}

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Eight groups, without a gap. */
function bytesOfIPv6(address: string): Buffer {
  return Buffer.concat(address.split(":").map((group) => Buffer.from(group.padStart(4, "0"), "hex")));
}
