import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

export interface SilentRequest {
  path: string;
  /** Asked so often at once. */
  times?: number;
}

/** Connections from many addresses of this machine that ask for something and then do nothing. */
export class SilentReaders {
  private readonly sockets: Socket[] = [];
  private readonly port: number;

  /** @param network the first three parts of the addresses, such as `127.0.7` */
  constructor(
    url: string,
    private readonly network: string,
  ) {
    this.port = Number(new URL(url).port);
  }

  /**
   * Opens `counts.each` connections from each of `counts.addresses` addresses. Resolves with the status of each when
   * all have the beginning of their answer, or were ended.
   */
  async open(counts: { addresses: number; each: number }, request: SilentRequest): Promise<(number | null)[]> {
    const statuses: (number | null)[] = [];
    for (let address = 1; address <= counts.addresses; address++) {
      const opened = Array.from({ length: counts.each }, () => this.openOne(`${this.network}.${address}`, request));
      statuses.push(...(await Promise.all(opened)));
    }
    return statuses;
  }

  /** Connections of ours that the server's process still holds. */
  held(): number {
    const rows = readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1);
    const prefix = hexPrefix(this.network);
    const port = hex(this.port, 4);
    return rows.filter((row) => {
      const [, local, remote, , , , , , , inode] = row.trim().split(/\s+/);
      return local!.endsWith(`:${port}`) && remote!.slice(2, 8) === prefix && inode !== "0";
    }).length;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private openOne(localAddress: string, { path, times = 1 }: SilentRequest): Promise<number | null> {
    const socket = connect({ port: this.port, host: "127.0.0.1", localAddress });
    this.sockets.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(times));
    return new Promise((resolve) => {
      socket.on("error", () => undefined).once("close", () => resolve(null));
      socket.once("data", (part: Buffer) => {
        socket.pause();
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(part.toString("latin1"))?.[1]));
      });
    });
  }
}

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0");

/** As the kernel prints it: the last part first. */
function hexPrefix(network: string): string {
  const parts = network.split(".").map((part) => hex(Number(part), 2));
  return parts.reverse().join("");
}
