/** Chance. Implemented by `SystemRandom` and by the seeded source of the testing library. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}

/** A random boot id: 63 bits, positive, in decimal. */
export function newBootId(random: Random): string {
  const bytes = random.bytes(8);
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return String(value & 0x7fff_ffff_ffff_ffffn || 1n);
}
