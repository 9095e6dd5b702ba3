import { setTimeout as delay } from "node:timers/promises";
import type { Progress } from "../histories/shop-records.js";

/** What settling looks at. */
export interface SettlingParts {
  /** Epoch milliseconds of the database's clock. */
  dbNow: () => number;
  progress: () => Promise<Progress>;
}

const POLL_MS = 250;
/** After the last due time: long enough for the re-run of what a killed node had claimed, and for retries. */
const LIMIT_MS = 45_000;
/** Longer than the provider's slowest answer: what still runs unseen shows itself. */
const QUIET_MS = 2_500;

/**
 * Waits until every order is paid or cancelled, every due time has passed and no execution runs; then once more, for those that come late.
 *
 * @returns whether all was settled in time
 */
export async function settle(
  { dbNow, progress }: SettlingParts,
  lastCancelAt: number,
  pollMs = POLL_MS,
): Promise<boolean> {
  const limitAt = Math.max(dbNow(), lastCancelAt) + LIMIT_MS;
  let quietSinceAt: number | null = null;
  for (; dbNow() < limitAt; await delay(pollMs)) {
    const now = await progress();
    const isQuiet = now.unpaid === 0 && now.running === 0 && dbNow() > lastCancelAt;
    quietSinceAt = isQuiet ? (quietSinceAt ?? dbNow()) : null;
    if (quietSinceAt !== null && dbNow() - quietSinceAt >= QUIET_MS) return true;
  }
  return false;
}
