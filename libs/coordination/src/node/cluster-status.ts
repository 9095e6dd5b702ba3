import { type BootId, type Coordination, hasLeft, type NodeRecord, type NodeVitals, type Term } from "@tickwheel/core";
import type { BeatObserver } from "../beats/beat-observer.js";
import type { ClusterStatus, NodeStatus } from "./cluster-node-ports.js";
import type { HealthIssue } from "../health/health.js";

/** The parts of a status. */
export interface StatusInput {
  coordination: Coordination;
  term: Term | null;
  view: number;
  degraded: HealthIssue[];
  records: readonly NodeRecord[];
  observer: Pick<BeatObserver, "suspects" | "sighting" | "beatAgeMs">;
  /** This node while it joins. */
  joining: NodeRecord | null;
}

/**
 * Builds the answer of `GET /cluster`. The observer decides `suspect`, the node itself `joining`. The rest are rows,
 * without those of nodes that have left.
 */
export function clusterStatus(input: StatusInput): ClusterStatus {
  const { coordination, term, view, degraded, records, observer, joining } = input;
  const suspects = observer.suspects();
  const nodes = records.filter((record) => !hasLeft(record)).map((record) => statusOf(record, suspects, observer));
  const hasRow = records.some(({ bootId }) => bootId === joining?.bootId);
  if (joining !== null && !hasRow) nodes.push({ ...joining, state: "joining", heartbeatAgeMs: null, vitals: null });
  // From the list shown beside it, not from the medium itself: between two looks the two would contradict each other.
  const isDegraded = coordination.kind === "redis" && degraded.some(({ part }) => part === "redis");
  return {
    coordination: isDegraded ? "postgres-degraded" : coordination.kind,
    leader: leaderOf(term, records),
    view,
    degraded,
    nodes: nodes.sort((left, right) => left.joinedAt - right.joinedAt || (left.label < right.label ? -1 : 1)),
    former: records.filter(hasLeft),
  };
}

function statusOf(
  record: NodeRecord,
  suspects: ReadonlySet<BootId>,
  observer: Pick<BeatObserver, "sighting" | "beatAgeMs">,
): NodeStatus {
  const isSuspect = record.state === "live" && suspects.has(record.bootId);
  return {
    ...record,
    state: isSuspect ? "suspect" : record.state,
    heartbeatAgeMs: observer.beatAgeMs(record.bootId),
    vitals: observer.sighting(record.bootId)?.vitals ?? null,
  };
}

function leaderOf(term: Term | null, records: readonly NodeRecord[]): ClusterStatus["leader"] {
  if (term === null || term.holder === null) return null;
  const node = records.find((record) => record.bootId === term.holder)?.label ?? "unknown";
  return { node, bootId: term.holder, term: term.term };
}

/** What a node's beats tell of its medium: nothing where it works, so that most beats are no longer for it. */
export function awayOf(medium: Pick<Coordination, "kind" | "health">): Pick<NodeVitals, "away"> {
  return medium.kind === "redis" && !medium.health().available ? { away: ["redis"] } : {};
}
