import type { Schedule } from "../src/api/wire.js";

/** A schedule for specs: each day at 03:30 in Berlin, with the default of every policy. */
export function schedule(fields: Partial<Schedule> = {}): Schedule {
  const createdAt = "2026-11-01T00:00:00.000Z";
  const by = "key:1";
  const spec = { cron: "30 3 * * *", timeZone: "Europe/Berlin", every: null, anchor: null, after: null };
  const window = { startsAt: null, endsAt: null, exclude: [] };
  const policies = { misfire: "last", limit: null, overlap: "skip", onResume: "skip", gap: "shift" } as const;
  const bounds = { jitter: 0, catchUpLimit: null, pauseAfterFailures: null, startDeadline: null };
  const options = { priority: null, maxAttempts: null, backoff: null, timeout: null, tags: [], deliver: null };
  const standing = { nextAt: "2026-11-24T02:30:00.000Z", pause: null, failures: 0, application: null, revision: 7 };
  return {
    id: "0199c0de-0000-7000-8000-000000000002",
    name: "newsletter",
    namespace: "default",
    type: "newsletter.send",
    payload: {},
    state: "active",
    ...spec,
    ...window,
    ...policies,
    ...bounds,
    ...options,
    ...standing,
    fold: "first",
    holdForRetry: false,
    backfill: null,
    waitingFor: null,
    createdAt,
    createdBy: by,
    changedAt: createdAt,
    changedBy: by,
    ...fields,
  };
}
