import type { BootId, Leadership, NodeBeat, NodeRecord, Term, View } from "@tickwheel/core";

/** The cluster's tables. Each statement about them is one synchronous step, so they need no draft. */
export class ClusterTables {
  readonly nodes = new Map<BootId, NodeRecord>();
  readonly beats = new Map<BootId, NodeBeat>();
  term: Term = { term: 0, holder: null, beat: 0 };
  view: View | null = null;

  isLive(bootId: BootId): boolean {
    return this.nodes.get(bootId)?.state === "live";
  }

  /** Whether this leadership is not over. */
  isLedBy({ term, holder }: Leadership): boolean {
    return this.term.term === term && this.term.holder === holder;
  }

  /** Dead, or gone altogether. */
  isDead(bootId: BootId): boolean {
    return (this.nodes.get(bootId)?.state ?? "dead") === "dead";
  }
}
