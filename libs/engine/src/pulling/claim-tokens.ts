import { createHmac, timingSafeEqual } from "node:crypto";
import type { EpochMs, LeaseRef, TypeId } from "@tickwheel/core";

/** What a token names: the execution of a pulled task. */
export interface PulledClaim extends LeaseRef {
  namespace: string;
  typeId: TypeId;
  /** By the row. */
  claimedAt: EpochMs;
}

/** What tokens are signed with. */
export interface TokenSecret {
  /** 1 … 255. */
  id: number;
  value: Uint8Array;
}

/*
 * The bytes of a token: version 1 (1), the secret's id (1), the task's id (16), its fence (4), its type's number (4),
 * the claim's instant in milliseconds (6), and the first 16 bytes of an HMAC-SHA-256 over a label and all of these. In
 * base64url that is 64 characters.
 *
 * The type and the instant are there so that a completion needs no read: the type tells the namespace and what a
 * worker's key may do, the instant is when the execution began.
 */
const VERSION = 1;
const AT = { version: 0, secret: 1, id: 2, fence: 18, type: 22, claimed: 26, mac: 32, end: 48 } as const;
const FORM = /^[A-Za-z0-9_-]{64}$/;
const LABEL = "tickwheel claim\0";

/** The token of a claim. */
export function tokenOf({ id, fence, typeId, claimedAt }: Omit<PulledClaim, "namespace">, secret: TokenSecret): string {
  const bytes = Buffer.alloc(AT.end);
  bytes[AT.version] = VERSION;
  bytes[AT.secret] = secret.id;
  bytes.write(id.replaceAll("-", ""), AT.id, "hex");
  bytes.writeUInt32BE(fence, AT.fence);
  bytes.writeUInt32BE(typeId, AT.type);
  bytes.writeUIntBE(claimedAt, AT.claimed, AT.mac - AT.claimed);
  macOf(bytes, secret).copy(bytes, AT.mac);
  return bytes.toString("base64url");
}

/** The number of the secret that a token says it is signed with; null: it has not even the form of a token. */
export function secretIdOf(token: string): number | null {
  if (!FORM.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  return bytes[AT.version] === VERSION ? bytes[AT.secret]! : null;
}

/** What a token names; null: it was not signed with this secret. */
export function readToken(token: string, secret: TokenSecret): Omit<PulledClaim, "namespace"> | null {
  if (secretIdOf(token) !== secret.id) return null;
  const bytes = Buffer.from(token, "base64url");
  if (!timingSafeEqual(macOf(bytes, secret), bytes.subarray(AT.mac))) return null;
  const hex = bytes.toString("hex", AT.id, AT.fence);
  return {
    id: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-"),
    fence: bytes.readUInt32BE(AT.fence),
    typeId: bytes.readUInt32BE(AT.type),
    claimedAt: bytes.readUIntBE(AT.claimed, AT.mac - AT.claimed),
  };
}

function macOf(bytes: Buffer, { value }: TokenSecret): Buffer {
  const mac = createHmac("sha256", value).update(LABEL).update(bytes.subarray(0, AT.mac)).digest();
  return mac.subarray(0, AT.end - AT.mac);
}
