/**
 * The life of one node, as a transition table and one function.
 *
 * ```
 * idle ─join─▶ joining ─joined─▶ live ─announce_leaving─▶ leaving ─start_draining─▶ draining ─left─▶ dead
 *    ▲            ▲                │ lost                    │ lost                    │ lost         ▲
 *    │            └────────────────┘ (a new boot id)         └─────────────────────────┴──────────────┤
 *    └── a dead node may join again, under a new boot id ◀────────────────────────────────────────────┘
 * ```
 * In any phase a node can be fenced: after too long without a good beat it starts nothing and aborts what runs; the
 * first good beat ends that. `lost` means that the others hold this boot id for dead, which is final. Suspect is not a
 * state of a node but a verdict of others: a node does not know that it is suspect.
 */
export type NodePhase = "idle" | "joining" | "live" | "leaving" | "draining" | "dead";

export type NodeEvent =
  /** Starts to join: a boot id is chosen. */
  | "join"
  /** Both rows are written, and a first beat was good. */
  | "joined"
  /** No good beat for `selfFenceAfterBeats` intervals. */
  | "beat_late"
  | "beat_good"
  /** There is no heartbeat row any more. */
  | "lost"
  | "announce_leaving"
  | "start_draining"
  | "left";

export interface NodeCondition {
  readonly phase: NodePhase;
  readonly fenced: boolean;
}

export const INITIAL_CONDITION: NodeCondition = { phase: "idle", fenced: false };

type PhaseEvent = Exclude<NodeEvent, "beat_late" | "beat_good">;

const TRANSITIONS: Record<NodePhase, Partial<Record<PhaseEvent, NodePhase>>> = {
  idle: { join: "joining" },
  joining: { joined: "live", lost: "joining", left: "dead" },
  live: { lost: "joining", announce_leaving: "leaving", start_draining: "draining", left: "dead" },
  leaving: { lost: "dead", start_draining: "draining", left: "dead" },
  draining: { lost: "dead", left: "dead" },
  dead: { join: "joining" },
};

/** The state after the event, or null if the event is not valid in this state. */
export function nextCondition(condition: NodeCondition, event: NodeEvent): NodeCondition | null {
  if (event === "beat_late" || event === "beat_good") {
    const fenced = event === "beat_late";
    return isMember(condition) && fenced !== condition.fenced ? { ...condition, fenced } : null;
  }
  const phase = TRANSITIONS[condition.phase][event];
  if (phase === undefined) return null;
  return { phase, fenced: isMember({ phase }) && condition.fenced };
}

/** Whether the node has rows of its own in the store, as far as it knows. */
export function isMember({ phase }: Pick<NodeCondition, "phase">): boolean {
  return phase === "live" || phase === "leaving" || phase === "draining";
}

/** Whether new work may be claimed. A leaving node still claims: the others do not know yet that it leaves. */
export function mayDispatch({ phase, fenced }: NodeCondition): boolean {
  return !fenced && (phase === "live" || phase === "leaving");
}

/** Whether its beats ask the leader to leave it out of the next view. */
export function asksToLeave({ phase }: NodeCondition): boolean {
  return phase === "leaving" || phase === "draining";
}

/** Whether it may go on leading. A leaving node leads until all others can know that it leaves. */
export function mayLead(condition: NodeCondition): boolean {
  return mayDispatch(condition);
}

/** Whether it may begin to lead. */
export function mayStand({ phase, fenced }: NodeCondition): boolean {
  return !fenced && phase === "live";
}
