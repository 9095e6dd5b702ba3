import type {
  ClusterEvent,
  ClusterEventPage,
  ClusterEventQuery,
  ClusterEventStore,
  EpochMs,
  PastEvent,
} from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import { appendClusterEvents } from "../statements/events/append-cluster-events.js";
import {
  clusterEvents,
  clusterEventsOfBoot,
  clusterEventsOfKinds,
  clusterEventsOfLabel,
} from "../statements/events/list-cluster-events.js";

/** What has happened to a cluster, as rows. It uses the connections for reads, never the engine's. */
export class PostgresClusterEventStore implements ClusterEventStore {
  constructor(
    private readonly reads: Pick<ReadPool, "run" | "of">,
    private readonly options: { asOf?: () => EpochMs } = {},
  ) {}

  async append(events: readonly PastEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.reads.run(appendClusterEvents, { events, asOf: this.options.asOf?.() ?? null });
  }

  async page(query: ClusterEventQuery): Promise<ClusterEventPage> {
    const found = await this.find({ ...query, limit: query.limit + 1 });
    const events = found.slice(0, query.limit);
    const last = events.at(-1);
    return { events, next: found.length > events.length && last ? { at: last.at, id: last.id } : null };
  }

  private find({ kinds, node, from, to, after, limit }: ClusterEventQuery): Promise<ClusterEvent[]> {
    const request = { kinds: kinds ?? null, from: from ?? null, to: to ?? null, after: after ?? null, limit };
    const reads = this.reads.of(null);
    if (node && "bootId" in node) return reads.run(clusterEventsOfBoot, { ...request, bootId: node.bootId });
    if (node) return reads.run(clusterEventsOfLabel, { ...request, label: node.label });
    return reads.run(request.kinds === null ? clusterEvents : clusterEventsOfKinds, request);
  }
}
