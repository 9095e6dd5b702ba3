import { type MetricReading, readingOf, type TelemetryEvent } from "@tickwheel/core";

const SECOND_MS = 1_000;

/** How often each event has happened on this node. Bounded by the names of events. */
export class EventCounts {
  private readonly byName = new Map<string, number>();
  private blockedMs = 0;

  note({ name, facts }: Pick<TelemetryEvent, "name" | "facts">): void {
    this.byName.set(name, this.of(name) + 1);
    if (name === "cluster.loop.blocked" && typeof facts?.blockedMs === "number") this.blockedMs += facts.blockedMs;
  }

  read(): MetricReading[] {
    const samples = [...this.byName].map(([event, value]) => ({ labels: { event }, value }));
    return [
      { name: "tickwheel_events_total", samples },
      readingOf("tickwheel_elections_won_total", this.of("cluster.leader.elected")),
      readingOf("tickwheel_nodes_lost_total", this.of("cluster.node.dead")),
      readingOf("tickwheel_loop_blocked_seconds_total", this.blockedMs / SECOND_MS),
    ];
  }

  private of(name: string): number {
    return this.byName.get(name) ?? 0;
  }
}
