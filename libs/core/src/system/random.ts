import type { BootId } from "../task/task.js";

/** Chance. Implemented by `SystemRandom` and by the seeded source of the testing library. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}

/** Whether it is a boot id as {@link newBootId} makes them. */
export function isBootId(value: unknown): value is BootId {
  return typeof value === "string" && BOOT_ID.test(value) && (value.length < 19 || value <= MAX_BOOT_ID);
}

const BOOT_ID = /^[1-9]\d{0,18}$/;
const MAX_BOOT_ID = "9223372036854775807";

/** A random boot id: 63 bits, positive, in decimal. */
export function newBootId(random: Random): string {
  const bytes = random.bytes(8);
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return String(value & 0x7fff_ffff_ffff_ffffn || 1n);
}
