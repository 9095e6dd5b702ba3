import type { Server, Socket } from "node:net";
import { AddressRanges } from "@tickwheel/executors";

export interface ConnectionLimits {
  /** Open at once, at most. */
  all: number;
  /** Of those, from one address. */
  address: number;
  /** Networks whose connections are others' behind a proxy: of these only `all` counts. */
  trusted: readonly string[];
}

/** Ends connections beyond the limits as soon as they come. */
export function limitConnections(server: Server, { all, address: most, trusted }: ConnectionLimits): void {
  const proxies = new AddressRanges(trusted);
  const open = new Map<string, number>();
  server.maxConnections = all;
  server.prependListener("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (address === "" || proxies.holds(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once("close", () => {
      const left = open.get(address)! - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (count > most) socket.destroy();
  });
}
