import type { BootId, Clock, LastRunner, Runners, TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { ClusterReport } from "./requests.js";

/** The runners of a type whose tasks consumers fetch: no node runs any. */
export const CONSUMERS: Runners = { count: 0, inUse: 0, places: 0, last: null, isPulled: true };

/** The nodes of the view that run a type. */
export function runnersIn({ nodes }: Pick<Ownership, "nodes">, typeId: TypeId): BootId[] {
  return nodes.filter(({ typeIds }) => typeIds.includes(typeId)).map(({ bootId }) => bootId);
}

/** How busy these nodes are, by their last beats. */
export function placesOn(runners: readonly BootId[], { nodes }: Pick<ClusterReport, "nodes">): Runners {
  const told = nodes.filter(({ bootId }) => runners.includes(bootId));
  const sum = (of: "inFlight" | "places"): number => told.reduce((total, node) => total + node[of], 0);
  return { count: runners.length, inUse: sum("inFlight"), places: sum("places"), last: null };
}

/** The last node that ran a type which no live node runs; null: it is not on record. */
export function lastRunnerOf(type: string, { gone }: Pick<ClusterReport, "gone">): LastRunner | null {
  const last = gone?.find(({ orphanedTypes }) => orphanedTypes.includes(type));
  return last ? { node: last.label, how: last.how, at: last.at } : null;
}

/** A report that is older than this is read again. */
const KEEP_MS = 1_000;

/** The cluster's report for many who ask: one answer serves all within a second. A failure is not kept. */
export class RecentReport {
  private kept: { report: Promise<ClusterReport>; untilMonoMs: number } | null = null;

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    private readonly read: () => Promise<ClusterReport>,
  ) {}

  get(): Promise<ClusterReport> {
    const nowMonoMs = this.clock.monotonicMs();
    if (this.kept && nowMonoMs < this.kept.untilMonoMs) return this.kept.report;
    const report = this.read();
    const kept = (this.kept = { report, untilMonoMs: nowMonoMs + KEEP_MS });
    report.catch(() => {
      if (this.kept === kept) this.kept = null;
    });
    return report;
  }
}
