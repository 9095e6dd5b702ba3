import { Socket } from "node:net";
import { expect } from "@jest/globals";
import type { MadeOperationPage } from "@tickwheel/core";
import type { ConnectionOptions } from "@tickwheel/postgres-store";
import { eventually } from "../support/eventually.js";
import type { OperationScenes } from "./operations.scene.js";

/** Places between the statements of a page, by what the next message names. */
export const DOORS = {
  locked: "WITH RECURSIVE kinds",
  looked: "begin_act",
  acted: "write_operation_page",
  written: "COMMIT",
} as const;
/** A page of an undo has these, too. */
export const UNDO_DOORS = ["looked", "written"] as const satisfies readonly Door[];
export type Door = keyof typeof DOORS;

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
  close(place: Door): void {
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

/** A page under way, stopped at a door. */
export interface StoppedPage {
  page: Promise<MadeOperationPage | null>;
  stop: PageDoor;
}

/** Begins the next page of an operation or its undo, whatever its rest, and stops it at a door. */
export async function stopPage(
  its: OperationScenes,
  operation: { id: string },
  { door, pageSize }: { door: Door; pageSize?: number },
): Promise<StoppedPage> {
  const stop = new PageDoor();
  stop.close(door);
  const page = its.through(stop).dueNow(operation, pageSize);
  page.catch(() => undefined);
  await stop.reached();
  return { page, stop };
}

/** Lets the page go on, and answers it. */
export async function goOn({ page, stop }: StoppedPage): Promise<MadeOperationPage> {
  await stop.open();
  return (await page)!;
}

/** Cuts the page's connection, and waits until the server has rolled back. */
export async function killPage(its: OperationScenes, { page, stop }: StoppedPage): Promise<void> {
  await stop.cut();
  await expect(page).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await eventually(async () => {
    const open = await its.query("SELECT FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'");
    expect(open).toEqual([]);
  });
}
