import { networkInterfaces } from "node:os";

/**
 * `ip:pid` of this process: the first address that others may see, else loopback. A name for people, never an identity.
 */
export function nodeLabel(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outward = addresses.find((address) => !address.internal && address.family === "IPv4");
  return `${outward?.address ?? "127.0.0.1"}:${process.pid}`;
}
