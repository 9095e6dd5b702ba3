import { hash, randomBytes } from "node:crypto";

/** Characters of a key that people are shown: 30 of its 256 bits. */
const PREFIX_LENGTH = 9;

/** A new random key: `twk_` and 43 URL-safe characters (256 bits). */
export function newApiKey(): string {
  return `twk_${randomBytes(32).toString("base64url")}`;
}

/** SHA-256 of a key, in hex: what is stored. Keys are random, so a plain hash is enough. */
export function hashApiKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** How a new key begins: enough to know it by. */
export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}
