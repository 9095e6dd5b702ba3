import { type TaskState, TERMINAL_STATES, WAITING_STATES } from "./task.js";
import { LEASE_ENDS, PULL } from "./pull-transitions.js";
import { GIVEN_BACK, type Transition } from "./transition.js";

/** The guard of every statement about an execution [stale-silence]. */
const MINE = "owner and fence are the execution's";
const DEAD_OWNER = "its owner was read before as dead or gone";

/** The method that makes the pages of operations and of their undo. */
export const BY_PAGE = "operations.makePage";

/** Where undos lead: from the state in which an operation left a task to the state before. */
const UNDONE_MOVES: readonly (readonly [TaskState, TaskState])[] = [
  ...WAITING_STATES.flatMap((from) => WAITING_STATES.map((to) => [from, to] as const)),
  ...WAITING_STATES.map((to) => ["cancelled", to] as const),
  ...TERMINAL_STATES.map((to) => ["scheduled", to] as const),
  ["cancelled", "dead"],
  ["dead", "dead"],
];

/**
 * The life of a task, line by line. Whatever changes a task's row is one of these transitions: the conformance suite
 * walks every line on every store and tries everything else in vain; `checkHistory` holds every row change of a run
 * against them.
 *
 *              create                claim                 handler settles
 *     (none) ────────▶ scheduled ──────────────▶ running ─────────────────▶ succeeded
 *             pause ┌────┘▲ ▲ │                   │  │ │
 *           paused ◀┘     │ │ │                   │  │ └─ attempts or crashes exhausted ▶ dead
 *               └─ resume ┘ └─┼── retry, snooze, ─┘  │
 *               │             │ release, lease end   │
 *               └──── cancel ─┼─▶ cancelled ◀────────┘ cancel requested, handler stopped
 *                             └─ expire ─▶ expired     never started, start deadline passed
 *
 * Every way out of `running` back to `scheduled` raises the fence and clears the owner; where a cancel was requested it
 * ends `cancelled` instead. Only a retry leaves `succeeded`, `dead`, `cancelled` or `expired`, or else an operation on
 * many tasks: it discards dead ones, and its undo leads back to the state before [terminal-is-final].
 */
export const TRANSITIONS: readonly Transition[] = [
  {
    name: "create",
    by: ["create"],
    from: null,
    to: "scheduled",
    when: "its key is free, or was made so by the conflict policy",
    sets: { fence: 0, version: 1, attempt: 0, crashCount: 0, snoozeCount: 0, owner: "nobody", key: "taken" },
    also: "due as asked, never in the past",
  },
  {
    name: "claim",
    by: ["claim", "limits.claimLimited"],
    from: "scheduled",
    to: "running",
    when: "due within claimAheadMs by the database's clock, its start deadline not passed, the node's row live",
    sets: { fence: "+1", attempt: "+1", owner: "claimer" },
    also: "claimed_at",
  },
  PULL,
  {
    name: "complete",
    by: ["settle", "completeWithin"],
    from: "running",
    to: "succeeded",
    when: MINE,
    sets: { key: "free" },
    also: "started_at, finished_at, result; of one whose condition said no the reason SKIPPED",
  },
  {
    name: "fail",
    by: ["settle"],
    from: "running",
    to: "scheduled",
    cancelRequested: false,
    when: `${MINE}; attempts are left`,
    sets: GIVEN_BACK,
    also: "due after its backoff; started_at, error",
  },
  {
    name: "fail",
    by: ["settle"],
    from: "running",
    to: "dead",
    cancelRequested: false,
    when: `${MINE}; no attempts are left, also since they were lowered while it ran, or the failure is final`,
    sets: { key: "free" },
    also: "started_at, finished_at, error, reason",
  },
  {
    name: "fail",
    by: ["settle"],
    from: "running",
    to: "cancelled",
    cancelRequested: true,
    when: `${MINE}; its handler failed, or asks for a snooze`,
    sets: { key: "free" },
    also: "started_at, finished_at, reason; of a failure the error",
  },
  {
    name: "snooze",
    by: ["settle"],
    from: "running",
    to: "scheduled",
    cancelRequested: false,
    when: `${MINE}; its handler asks for it, and has done so fewer than maxSnoozes times`,
    sets: { ...GIVEN_BACK, attempt: "-1", snoozeCount: "+1" },
    also: "due after the delay that was asked for; started_at",
  },
  {
    name: "release",
    by: ["release"],
    from: "running",
    to: "scheduled",
    cancelRequested: false,
    when: MINE,
    sets: { ...GIVEN_BACK, attempt: "-1" },
    also: "due now",
  },
  {
    name: "release",
    by: ["release"],
    from: "running",
    to: "cancelled",
    cancelRequested: true,
    when: MINE,
    sets: { key: "free" },
    also: "finished_at, reason",
  },
  {
    name: "defer",
    by: ["defer"],
    from: "running",
    to: "scheduled",
    cancelRequested: false,
    when: `${MINE}; a breaker is open`,
    sets: { ...GIVEN_BACK, attempt: "-1" },
    also: "due at the breaker's next try; a note of the journal",
  },
  {
    name: "defer",
    by: ["defer"],
    from: "running",
    to: "cancelled",
    cancelRequested: true,
    when: `${MINE}; a breaker is open`,
    sets: { key: "free" },
    also: "finished_at, reason",
  },
  {
    name: "reap",
    by: ["reap"],
    from: "running",
    to: "scheduled",
    cancelRequested: false,
    when: `${DEAD_OWNER}; crashes are left`,
    sets: { ...GIVEN_BACK, attempt: "-1", crashCount: "+1" },
    also: "started_at = claimed_at; due now after the first crash, later after each further one; a suspect where its loop was blocked",
  },
  {
    name: "reap",
    by: ["reap"],
    from: "running",
    to: "dead",
    cancelRequested: false,
    when: `${DEAD_OWNER}; no crashes are left, or its loop was blocked for the second time [poison-stops]`,
    sets: { attempt: "-1", crashCount: "+1", key: "free" },
    also: "started_at = claimed_at, finished_at, reason CRASHES, as error where and when its nodes died",
  },
  {
    name: "reap",
    by: ["reap"],
    from: "running",
    to: "cancelled",
    cancelRequested: true,
    when: DEAD_OWNER,
    sets: { crashCount: "+1", key: "free" },
    also: "started_at = claimed_at, finished_at, reason",
  },
  ...LEASE_ENDS,
  {
    name: "expire",
    by: ["expire"],
    from: "scheduled",
    to: "expired",
    when: "never started, its start deadline has passed",
    sets: { version: "+1", key: "free" },
    also: "finished_at",
  },
  {
    name: "pause",
    by: ["pause", "claim", "limits.claimLimited", "leases.pull", BY_PAGE],
    from: "scheduled",
    to: "paused",
    when: "it is no occurrence of a schedule; by a claim: it could be claimed, and its key is paused; else: asked for",
    sets: { version: "+1" },
    also: "paused_at; from then on its countdown stands still",
  },
  {
    name: "resume",
    by: ["resume", "settings.resumeEndedKeys", BY_PAGE],
    from: "paused",
    to: "scheduled",
    when: "asked for, or the pause of its key is over and it was paused while that was in force",
    sets: { version: "+1" },
    also: "due after what remained of its countdown; what has not started moves its scheduled time, start deadline and maxWait by the time that it was paused",
  },
  {
    name: "cancel",
    by: ["cancel", BY_PAGE],
    from: "paused",
    to: "cancelled",
    when: "asked for",
    sets: { version: "+1", key: "free" },
    also: "finished_at, reason, who asked",
  },
  {
    name: "cancel",
    by: ["cancel", "cancelScheduled", BY_PAGE],
    from: "scheduled",
    to: "cancelled",
    when: "asked for",
    sets: { version: "+1", key: "free" },
    also: "finished_at, reason, who asked",
  },
  {
    name: "cancel",
    by: ["cancel", BY_PAGE],
    from: "running",
    to: "running",
    cancelRequested: false,
    when: "asked for",
    sets: { version: "+1" },
    also: "the request; a handler that succeeds all the same has succeeded",
  },
  ...WAITING_STATES.map((from) => ({
    name: "replace",
    by: ["create"],
    from,
    to: "cancelled" as const,
    when: "a create with its key and the policy replace",
    sets: { version: "+1", key: "free" } as const,
    also: "finished_at, reason REPLACED",
  })),
  {
    name: "create replaced",
    by: ["create"],
    from: null,
    to: "cancelled",
    when: "the next task of the same create has its key, too, and both have the policy replace",
    sets: { fence: 0, version: 2, attempt: 0, crashCount: 0, snoozeCount: 0, owner: "nobody", key: "free" },
    also: "as a create and the replacement after it: finished_at, reason REPLACED, two entries in its journal",
  },
  {
    name: "replace",
    by: ["create"],
    from: "running",
    to: "running",
    cancelRequested: false,
    when: "a create with its key and the policy replace",
    sets: { version: "+1", key: "free" },
    also: "the request, reason REPLACED",
  },
  {
    name: "next cycle",
    by: ["create"],
    from: "running",
    to: "running",
    when: "a create with its key and the policy refresh or merge, or replace where a cancel was requested before",
    sets: { key: "free" },
    also: "of a refresh or a merge, which task continues it",
  },
  ...WAITING_STATES.flatMap((state) => changesOfWaiting(state)),
  ...TERMINAL_STATES.map((from) => ({
    name: "retry",
    by: ["retry", BY_PAGE],
    from,
    to: "scheduled" as const,
    when: "asked for by a person, and its key is free",
    sets: {
      fence: "+1",
      version: "+1",
      attempt: 0,
      crashCount: 0,
      snoozeCount: 0,
      owner: "nobody",
      key: "taken",
    } as const,
    also: "due now; no cancel request, start deadline, result or error; of a restore due as it was scheduled, with the start deadline",
  })),
  {
    name: "discard",
    by: [BY_PAGE],
    from: "dead",
    to: "cancelled",
    when: "asked for",
    sets: { version: "+1", owner: "nobody", key: "free" },
    also: "finished_at, reason DISCARDED, who asked; its error stays",
  },
  {
    name: "tag",
    by: [BY_PAGE],
    from: "dead",
    to: "dead",
    when: "asked for",
    sets: { version: "+1", key: "free" },
    also: "its tags",
  },
  ...UNDONE_MOVES.map(([from, to]) => undoOf(from, to)),
];

/** What may happen to a task that waits and goes on waiting. One that is paused stays paused, with a new countdown. */
function changesOfWaiting(state: TaskState): Transition[] {
  const stays = { from: state, to: state };
  return [
    {
      name: "next cycle",
      by: ["create"],
      ...stays,
      when: "it has started, and a create has its key and the policy refresh or merge",
      sets: { key: "free" },
      also: "which task continues it",
    },
    {
      name: "refresh or merge",
      by: ["create"],
      ...stays,
      when: "it has not started, and a create has its key and the policy refresh or merge",
      sets: { version: "+1" },
      also: "due as the create asks, not beyond maxWait; what is due stays due; of a merge the payload",
    },
    {
      name: "edit",
      by: ["edit", BY_PAGE],
      ...stays,
      when: "the version is the expected one, if there is one; of a paused one: the edit is not one for scheduled tasks only",
      sets: { version: "+1" },
      also: "what the edit names; a new due time is never in the past",
    },
  ];
}

function undoOf(from: TaskState, to: TaskState): Transition {
  const isBackAtEnd = TERMINAL_STATES.includes(to) && from !== to;
  const run = {
    attempt: "remembered",
    crashCount: "remembered",
    snoozeCount: "remembered",
    owner: "remembered",
  } as const;
  return {
    name: "undo",
    by: [BY_PAGE],
    from,
    to,
    when: "it is as the operation left it, and its key is free if it held it",
    sets: {
      version: "+1",
      ...(!(TERMINAL_STATES.includes(from) && TERMINAL_STATES.includes(to)) && { fence: "+1" }),
      ...(isBackAtEnd && run),
      key: TERMINAL_STATES.includes(to) ? "free" : "remembered",
    },
    also: "all else as it was before the operation; what waits and was due is due now",
  };
}
