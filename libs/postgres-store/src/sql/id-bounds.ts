import type { EpochMs } from "@tickwheel/core";

/**
 * No task has these ids. A list that goes on behind no id yet begins behind this one, so its first page is read by the
 * same range of an index as each further one; and `> (instant, this)` takes in every task of the instant.
 */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000";
export const BEHIND_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Ids are made by nodes, of the database's time as they estimate it: a task's differs from that of its creation by less
 * than this, in milliseconds.
 */
export const ID_MARGIN_MS = 60_000;

/** The first id that a task of this instant can have. */
export function firstIdOf(at: EpochMs): string {
  return `${timeHalf(at)}-7000-8000-000000000000`;
}

/** The last one. */
export function lastIdOf(at: EpochMs): string {
  return `${timeHalf(at)}-7fff-bfff-ffffffffffff`;
}

/** The first 48 bits of a UUIDv7. */
function timeHalf(at: EpochMs): string {
  const digits = Math.min(Math.max(at, 0), 0xffffffffffff).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
