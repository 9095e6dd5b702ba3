import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** The answer to every query, under the names that clients use for a version. */
const COLUMNS = ["version", "server_version", "current_database", "current_schema"];

/**
 * Speaks just enough of Postgres' protocol to accept any login and to answer every query with an old version. A real
 * server of that version cannot be started here.
 */
export class OldPostgres {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly version: string,
  ) {
    server.on("connection", (socket) => this.serve(socket));
  }

  static async start(version: string): Promise<OldPostgres> {
    const server = createServer();
    const old = new OldPostgres(server, version);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return old;
  }

  get url(): string {
    return `postgres://user@127.0.0.1:${(this.server.address() as AddressInfo).port}/tickwheel`;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  private serve(socket: Socket): void {
    this.#sockets.add(socket);
    // A client may leave in the middle of an answer.
    socket.on("error", () => {});
    let rest = Buffer.alloc(0);
    socket.once("data", () => {
      socket.write(Buffer.concat([AUTHENTICATED, status("server_version", this.version), READY]));
      socket.on("data", (data) => {
        rest = Buffer.concat([rest, data]);
        rest = rest.subarray(this.answerAll(rest, socket));
      });
    });
  }

  /** @returns how many bytes held whole messages */
  private answerAll(data: Buffer, socket: Socket): number {
    let at = 0;
    while (data.length - at >= 5 && data.length - at > data.readInt32BE(at + 1)) {
      const answer = this.answerTo(String.fromCharCode(data[at]!));
      if (answer === null) socket.end();
      else socket.write(answer);
      at += 1 + data.readInt32BE(at + 1);
    }
    return at;
  }

  /** Null: the client says goodbye. */
  private answerTo(type: string): Buffer | null {
    if (type === "X") return null;
    const columns = message("T", count(COLUMNS.length), ...COLUMNS.map(column));
    const result = [this.row(), message("C", text("SELECT 1"))];
    const answers: Record<string, Buffer[]> = {
      Q: [columns, ...result, READY],
      P: [message("1")],
      B: [message("2")],
      D: [columns],
      E: result,
      S: [READY],
    };
    return Buffer.concat(answers[type] ?? []);
  }

  private row(): Buffer {
    const value = Buffer.from(this.version);
    return message("D", count(COLUMNS.length), ...COLUMNS.flatMap(() => [int32(value.length), value]));
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function count(value: number): Buffer {
  return int32(value).subarray(2);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

/** A column of the type text, in text form. */
function column(name: string): Buffer {
  const textOid = 25;
  return Buffer.concat([text(name), int32(0), count(0), int32(textOid), count(65_535), int32(-1), count(0)]);
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function status(name: string, value: string): Buffer {
  return message("S", text(name), text(value));
}

const AUTHENTICATED = message("R", int32(0));
const READY = message("Z", Buffer.from("I"));
