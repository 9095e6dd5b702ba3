import { useEffect } from "preact/hooks";
import type { Cluster } from "../api/wire.js";
import { followHealth, health } from "../feeds/health.js";
import { session } from "../session/session.js";
import { storeAway } from "../session/store-health.js";

interface HealthLine {
  readonly name: string;
  readonly text: string;
  readonly state: "good" | "warning" | "critical" | "cancelled";
}

/** Nodes, leader, Redis and Postgres at the foot of the side bar. */
export function Health() {
  useEffect(followHealth, [session.value?.id]);
  const cluster = session.value?.cluster ? health.value.value : null;
  const lines = [...(cluster ? clusterLines(cluster) : []), postgresLine(cluster)];
  return (
    <section class="side-health" aria-label="Health">
      {lines.map(({ name, text, state }) => (
        <div key={name}>
          <span class={`dot is-${state}`} />
          {name}
          <span class="v">{text}</span>
        </div>
      ))}
    </section>
  );
}

function clusterLines({ nodes, leader, coordination }: Cluster): HealthLine[] {
  const live = nodes.filter(({ state }) => state === "live").length;
  const isAllLive = live === nodes.length;
  const redis = {
    redis: { text: "answers", state: "good" },
    postgres: { text: "not used", state: "cancelled" },
    "postgres-degraded": { text: "away", state: "warning" },
  } as const;
  return [
    { name: "Nodes", text: `${live} of ${nodes.length} live`, state: isAllLive ? "good" : "warning" },
    { name: "Leader", text: leader ? `term ${leader.term}` : "none", state: leader ? "good" : "warning" },
    { name: "Redis", ...(redis[coordination] ?? { text: coordination, state: "warning" }) },
  ];
}

function postgresLine(cluster: Cluster | null): HealthLine {
  const isAway = storeAway.value !== null || cluster?.degraded.some(({ part }) => part === "postgres");
  return isAway
    ? { name: "Postgres", text: "away", state: "critical" }
    : { name: "Postgres", text: "answers", state: "good" };
}
