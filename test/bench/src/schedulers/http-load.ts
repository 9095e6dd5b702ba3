import { connect, type Socket } from "node:net";
import { monoMs } from "./contestants/host-clock.js";

/** Where requests go and what they say. */
export interface HttpLoad {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The status that every answer must have. */
  readonly status: number;
  /** The body of the next request; null: no more. */
  next(): string | null;
}

const HEAD_END = "\r\n\r\n";

/**
 * POSTs over connections that stay open, one request at a time on each. It knows as much of HTTP/1.1 as the answers of
 * a JSON API need (a content length), so that the load costs less than what is measured.
 * @returns what each call took, in milliseconds
 * @throws Error on another status, or when a connection breaks
 */
export async function postAll(load: HttpLoad, connections: number): Promise<Float64Array> {
  const callMs: number[] = [];
  await Promise.all(Array.from({ length: connections }, () => postOn(load, callMs)));
  return Float64Array.from(callMs);
}

async function postOn(load: HttpLoad, callMs: number[]): Promise<void> {
  const connection = new HttpConnection(load.port, load.headers);
  try {
    for (let body = load.next(); body !== null; body = load.next()) {
      const sentMonoMs = monoMs();
      const { status, text } = await connection.post(load.path, body);
      if (status !== load.status) throw new Error(`HTTP ${status}: ${text.slice(0, 500)}`);
      callMs.push(monoMs() - sentMonoMs);
    }
  } finally {
    connection.close();
  }
}

/** A connection that stays open, for one request after the other. */
export class HttpConnection {
  private readonly socket: Socket;
  private readonly answers: Answers;
  private readonly head: string;

  constructor(port: number, headers: Readonly<Record<string, string>>) {
    this.socket = connect(port, "127.0.0.1").setNoDelay(true);
    this.answers = new Answers(this.socket);
    const all = Object.entries({ host: "127.0.0.1", "content-type": "application/json", ...headers });
    this.head = ` HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}`;
  }

  /** @throws Error when the connection breaks */
  post(path: string, body: string): Promise<Answer> {
    this.socket.write(`POST ${path}${this.head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return this.answers.next();
  }

  close(): void {
    this.socket.destroy();
  }
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The answers on one connection, in turn. */
class Answers {
  private received = "";
  private waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;

  constructor(socket: Socket) {
    // In latin1 a character is a byte, so lengths agree; the text itself is only read by people, when something went
    // wrong.
    socket.setEncoding("latin1").on("data", (part: string) => this.take(part));
    socket.on("error", (error) => this.waiting?.reject(error));
    socket.on("close", () => this.waiting?.reject(new Error("the server closed the connection")));
  }

  next(): Promise<Answer> {
    return new Promise((resolve, reject) => (this.waiting = { resolve, reject }));
  }

  private take(part: string): void {
    this.received += part;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.received.slice(0, headEnd);
    const length = Number(/\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + HEAD_END.length + length;
    if (this.received.length < end) return;
    const answer = { status: Number(head.slice(9, 12)), text: this.received.slice(headEnd + HEAD_END.length, end) };
    this.received = this.received.slice(end);
    this.waiting?.resolve(answer);
  }
}
