import { createRequire } from "node:module";
import { networkInterfaces } from "node:os";

/**
 * `ip:pid` of this process: the first address that others may see, else loopback. A name for people, never an identity.
 */
export function nodeLabel(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outward = addresses.find((address) => !address.internal && address.family === "IPv4");
  return `${outward?.address ?? "127.0.0.1"}:${process.pid}`;
}

/** The version that all packages of this release have. */
export const TICKWHEEL_VERSION = (createRequire(import.meta.url)("../../package.json") as { version: string }).version;
