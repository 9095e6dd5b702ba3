import type { ClusterEvent, ClusterEventPage, ClusterEventQuery, ClusterEventStore, PastEvent } from "@tickwheel/core";
import type { MemoryConnection } from "../database/memory-connection.js";
import { newestFirst, tellPast } from "../statements/event-statements.js";
import { copyOf } from "../system/copy-of.js";

/** A {@link ClusterEventStore} in memory. Replies are copies. */
export class MemoryClusterEventStore implements ClusterEventStore {
  constructor(private readonly connection: MemoryConnection) {}

  append(request: readonly PastEvent[]): Promise<void> {
    return this.connection.call({ statement: "events.append", request }, (session) =>
      session.run((scope) => {
        for (const event of request) tellPast(scope, event);
      }),
    );
  }

  page(request: ClusterEventQuery): Promise<ClusterEventPage> {
    return this.connection.call({ statement: "events.page", request }, (session) =>
      session.run((scope) => {
        const found = newestFirst(scope).filter((event) => isAsked(event, request));
        const events = found.slice(0, request.limit).map(copyOf);
        const last = events.at(-1);
        return { events, next: found.length > events.length && last ? { at: last.at, id: last.id } : null };
      }),
    );
  }
}

function isAsked(event: ClusterEvent, { kinds, node, from, to, after }: ClusterEventQuery): boolean {
  const { at, id, kind, bootId, label } = event;
  if (kinds && !kinds.includes(kind)) return false;
  if (node && ("bootId" in node ? bootId !== node.bootId : label !== node.label)) return false;
  if (at < (from ?? -Infinity) || at >= (to ?? Infinity)) return false;
  return !after || at < after.at || (at === after.at && Number(id) < Number(after.id));
}
