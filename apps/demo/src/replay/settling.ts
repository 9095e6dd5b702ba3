import { setTimeout as delay } from "node:timers/promises";
import type { Progress } from "../histories/shop-records.js";

/** What settling looks at. */
export interface SettlingParts {
  /** Epoch milliseconds of the database's clock. */
  dbNow: () => number;
  progress: () => Promise<Progress>;
  /** How many times longer than on a quiet machine a limit is at present. */
  stretch: () => number;
}

const POLL_MS = 250;
/**
 * On a quiet machine nothing may end for this long after the last due time. It is longer than the re-run of what a
 * killed node had claimed, and than the pauses between attempts.
 */
const STANDSTILL_LIMIT_MS = 60_000;
/** Longer than the provider's slowest answer: what still runs unseen shows itself. */
const QUIET_MS = 2_500;

/**
 * Waits until every order is paid or cancelled, every due time has passed and no execution runs; then once more, for
 * those that come late. It gives up when for a minute, longer on a slow machine, no more of them came to an end than
 * ever before.
 *
 * @returns whether all was settled
 */
export async function settle(
  { dbNow, progress, stretch }: SettlingParts,
  lastCancelAt: number,
  pollMs = POLL_MS,
): Promise<boolean> {
  let progressAt = Math.max(dbNow(), lastCancelAt);
  let fewestOpen = Infinity;
  let quietSinceAt: number | null = null;
  for (; dbNow() < progressAt + STANDSTILL_LIMIT_MS * stretch(); await delay(pollMs)) {
    const now = await progress();
    if (now.unpaid + now.running < fewestOpen) {
      fewestOpen = now.unpaid + now.running;
      progressAt = Math.max(progressAt, dbNow());
    }
    const isQuiet = now.unpaid === 0 && now.running === 0 && dbNow() > lastCancelAt;
    quietSinceAt = isQuiet ? (quietSinceAt ?? dbNow()) : null;
    if (quietSinceAt !== null && dbNow() - quietSinceAt >= QUIET_MS) return true;
  }
  return false;
}
