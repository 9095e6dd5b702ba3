import { Socket } from "node:net";
import type { ConnectionOptions } from "@tickwheel/postgres-store";

/** Places between the statements of a page, by what the next message names. */
export const DOORS = {
  locked: "WITH RECURSIVE kinds",
  looked: "begin_act",
  acted: "write_operation_page",
  written: "COMMIT",
} as const;

interface Held {
  socket: Socket;
  pass: () => void;
}

/** A door on the connections of one node: others step in between two statements, or the connection is cut there. */
export class PageDoor {
  #mark: string | null = null;
  #reached: (held: Held) => void = () => {};
  #held: Promise<Held> | null = null;

  readonly connection: ConnectionOptions = { stream: () => new GatedSocket(this) };

  /** The next message at this place waits. */
  close(place: keyof typeof DOORS): void {
    this.#mark = DOORS[place];
    this.#held = new Promise((resolve) => (this.#reached = resolve));
  }

  /** Answers once a message waits. */
  async reached(): Promise<void> {
    await this.#held;
  }

  async open(): Promise<void> {
    (await this.#held)?.pass();
  }

  /** The client is gone; the server rolls back. */
  async cut(): Promise<void> {
    (await this.#held)?.socket.destroy();
  }

  /** Sends a message, now or when the door is opened. */
  pass(bytes: Buffer, socket: Socket, pass: () => void): void {
    if (this.#mark === null || !bytes.includes(this.#mark)) return pass();
    this.#mark = null;
    this.#reached({ socket, pass });
  }
}

class GatedSocket extends Socket {
  constructor(private readonly door: PageDoor) {
    super();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.door.pass(Buffer.from(chunk), this, () => super._write(chunk, encoding, callback));
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    const bytes = Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk)));
    this.door.pass(bytes, this, () => super._writev!(chunks, callback));
  }
}
