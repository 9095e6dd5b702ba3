import type { TaskState } from "./task.js";

/**
 * The state machine of a task. Every store statement performs one of these transitions and no other; the conformance suite walks
 * this table.
 *
 *              create                claim                 handler settles
 *     (none) ────────▶ scheduled ──────────────▶ running ─────────────────▶ succeeded
 *                        ▲  │                     │  │ │
 *         retry, release │  │                     │  │ └─ attempts or crashes exhausted ▶ dead
 *                        └──┼─────────────────────┘  │
 *                           ├─ cancel ─▶ cancelled ◀─┘ cancel requested, handler stopped
 *                           └─ expire ─▶ expired      never started, start deadline passed
 */
export const TRANSITIONS = {
  create: { from: [null], to: ["scheduled"] },
  claim: { from: ["scheduled"], to: ["running"] },
  complete: { from: ["running"], to: ["succeeded"] },
  fail: { from: ["running"], to: ["scheduled", "dead", "cancelled"] },
  release: { from: ["running"], to: ["scheduled", "cancelled"] },
  defer: { from: ["running"], to: ["scheduled", "cancelled"] },
  reap: { from: ["running"], to: ["scheduled", "dead", "cancelled"] },
  cancel: { from: ["scheduled", "running"], to: ["cancelled", "running"] },
  expire: { from: ["scheduled"], to: ["expired"] },
  edit: { from: ["scheduled"], to: ["scheduled"] },
  retry: { from: ["succeeded", "dead", "cancelled", "expired"], to: ["scheduled"] },
} as const satisfies Record<string, { from: readonly (TaskState | null)[]; to: readonly TaskState[] }>;

export type Transition = keyof typeof TRANSITIONS;

/**
 * Whether `transition` may move a task from `from` to `to`. A cancel of a running task leaves it running, with the request noted.
 *
 * @example isAllowed("claim", "scheduled", "running") // true
 */
export function isAllowed(transition: Transition, from: TaskState | null, to: TaskState): boolean {
  if (transition === "cancel")
    return from === "scheduled" ? to === "cancelled" : from === "running" && to === "running";
  const { from: sources, to: targets } = TRANSITIONS[transition] as {
    from: readonly (TaskState | null)[];
    to: readonly TaskState[];
  };
  return sources.includes(from) && targets.includes(to);
}
