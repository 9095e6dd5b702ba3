import { createHash } from "node:crypto";
import type { EpochMs } from "@tickwheel/core";

/** An instant of a schedule, and how far its due time may lie behind it. */
export interface JitterRange {
  scheduleId: string;
  at: EpochMs;
  /** The greatest jitter, in milliseconds. */
  mostMs: number;
}

/**
 * The jitter of an instant, in milliseconds: evenly spread over 0 … `mostMs`, and the same on every node and after
 * every edit, since it comes from the first 52 bits of SHA-256 over `<schedule id>:<instant in ms>`.
 */
export function jitterMs({ scheduleId, at, mostMs }: JitterRange): number {
  if (mostMs <= 0) return 0;
  const digest = createHash("sha256").update(`${scheduleId}:${at}`).digest();
  const share = (digest.readUIntBE(0, 6) * 16 + (digest[6]! >> 4)) / 2 ** 52;
  return Math.floor(share * (mostMs + 1));
}
