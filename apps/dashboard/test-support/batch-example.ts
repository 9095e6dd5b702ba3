import type { Batch, BatchCounts } from "../src/api/wire.js";

/** Counts of members for specs; those that are not said to have ended live. */
export function counts(total: number, ended: Partial<Omit<BatchCounts, "total" | "live">> = {}): BatchCounts {
  const { succeeded = 0, dead = 0, cancelled = 0, expired = 0 } = ended;
  return { total, live: total - succeeded - dead - cancelled - expired, succeeded, dead, cancelled, expired };
}

/** A batch for specs: open, with two of its 400 members live, without rules. */
export function batch(fields: Partial<Batch> = {}): Batch {
  const createdAt = "2026-11-24T00:05:00.000Z";
  const rules = { failFast: false, retryDead: false, onComplete: null, onSuccess: null, deadlineAt: null };
  const standing = { overdue: false, leftovers: null, stop: null, isStopping: false, retryingSince: null };
  const base = {
    id: "0199c0de-0000-7000-8000-00000badcafe",
    name: "settle-2026-11-23",
    state: "open" as const,
    shards: null,
    counts: counts(400, { succeeded: 398 }),
    progress: 0.995,
    createdAt,
    createdBy: "key:1",
    sealedAt: createdAt,
    finishedAt: null,
  };
  return { ...base, ...rules, ...standing, ...fields };
}
