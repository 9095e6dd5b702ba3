import {
  type ClusterEvent,
  type ClusterEventFacts,
  type ClusterEventKind,
  type ClusterEventPage,
  type EpochMs,
  lastBeatAt,
} from "@tickwheel/core";

/** Something that has happened to the cluster, as a client sees it. */
export interface ClusterEventView {
  id: string;
  at: string;
  kind: ClusterEventKind;
  /** Null: the event is about several nodes. */
  node: { bootId: string; label: string | null; name: string | null } | null;
  /** The last heartbeat of a node that is `SUSPECT` or `DEAD`, where it is known. */
  lastBeatAt: string | null;
  facts: ClusterEventFacts[ClusterEventKind];
}

/** A page of `GET /cluster/events`. */
export interface ClusterEventPageView {
  items: ClusterEventView[];
  nextCursor: string | null;
}

export function toEventPage({ events, next }: ClusterEventPage): ClusterEventPageView {
  return { items: events.map(toEventView), nextCursor: next && `${next.at}-${next.id}` };
}

function toEventView(event: ClusterEvent): ClusterEventView {
  const { id, at, kind, bootId, label, name, facts } = event;
  const beatAt = lastBeatAt(event);
  return {
    id,
    at: instantOf(at),
    kind,
    node: bootId === null ? null : { bootId, label, name },
    lastBeatAt: beatAt === null ? null : instantOf(beatAt),
    facts,
  };
}

function instantOf(at: EpochMs): string {
  return new Date(at).toISOString();
}
