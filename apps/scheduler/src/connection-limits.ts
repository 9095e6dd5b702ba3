import type { Server, Socket } from "node:net";
import { Shares } from "@tickwheel/api";
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
  const open = new Shares();
  server.maxConnections = all;
  server.prependListener("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (address === "" || proxies.holds(address)) return;
    open.add(address);
    socket.once("close", () => open.remove(address));
    if (open.of(address) > most) socket.destroy();
  });
}
