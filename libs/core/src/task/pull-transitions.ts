import { GIVEN_BACK, type Transition } from "./transition.js";

const LEASE_OVER = "a consumer has it, and the lease of its fence is over";

/** A consumer takes a task. */
export const PULL: Transition = {
  name: "pull",
  by: ["leases.pull"],
  from: "scheduled",
  to: "running",
  when: "due by the database's clock, its start deadline not passed; its type, its namespace and its key are not paused, and no limit is full",
  sets: { fence: "+1", attempt: "+1", owner: "consumer" },
  also: "claimed_at, a lease",
};

/** The lease of a consumer ends, and its task is taken away. */
export const LEASE_ENDS: readonly Transition[] = [
  {
    name: "lease end",
    by: ["leases.endLeases"],
    from: "running",
    to: "scheduled",
    cancelRequested: false,
    when: `${LEASE_OVER}; attempts are left`,
    sets: GIVEN_BACK,
    also: "started_at = claimed_at, error; due now; the lease goes",
  },
  {
    name: "lease end",
    by: ["leases.endLeases"],
    from: "running",
    to: "dead",
    cancelRequested: false,
    when: `${LEASE_OVER}; no attempts are left`,
    sets: { key: "free" },
    also: "started_at = claimed_at, finished_at, error, reason ATTEMPTS; the lease goes",
  },
  {
    name: "lease end",
    by: ["leases.endLeases"],
    from: "running",
    to: "cancelled",
    cancelRequested: true,
    when: LEASE_OVER,
    sets: { key: "free" },
    also: "started_at = claimed_at, finished_at, reason, error; the lease goes",
  },
];
