import type { EventFacts, TelemetryEvent } from "@tickwheel/core";
import type { BrokerChange } from "@tickwheel/executors";

/** As many types are named; of further ones it is said how many there are. */
const MOST_NAMED = 5;

const COORDINATION: Readonly<Record<EventFacts["node.start.ready"]["coordination"], string>> = {
  redis: "through Redis",
  postgres: "through Postgres",
  "postgres-degraded": "through Postgres, because Redis does not answer",
};

/** What a start found, in a line. */
export function readyEvent(facts: EventFacts["node.start.ready"], runsTasks: boolean): TelemetryEvent {
  const { tookMs, places, schema, connections, coordination } = facts;
  const work = runsTasks
    ? `runs ${named(facts.types)}, at most ${places} at once`
    : "creates and reads tasks, and runs none";
  const means = `it coordinates ${COORDINATION[coordination]}; schema "${schema}", at most ${connections} connections to Postgres`;
  return {
    name: "node.start.ready",
    level: "info",
    message: `Ready after ${tookMs} ms: this node ${work}; ${means}`,
    facts: { ...facts },
  };
}

/** That the process has loaded several copies of our packages; null: it has not. */
export function copiesEvent(copies: readonly string[]): TelemetryEvent | null {
  if (copies.length < 2) return null;
  const message = `${copies.length} copies of @tickwheel/core are loaded, so what one injects another may not find: ${copies.join(", ")}; "npm ls @tickwheel/core" says whose they are`;
  return { name: "node.start.copies", level: "warn", message, facts: { copies } };
}

/** That a message broker has begun to take nothing, or takes messages again. */
export function brokerEvent({ target, kind, reason, lastedMs }: BrokerChange): TelemetryEvent {
  if (reason === null) {
    const message = `The broker "${target}" takes messages again, after ${lastedMs} ms`;
    return { name: "broker.back", level: "info", message, facts: { target, kind, lastedMs } };
  }
  const message = `The broker "${target}" takes nothing from this node (${reason}): its tasks wait, no attempt is charged`;
  return { name: "broker.away", level: "warn", message, facts: { target, kind, reason } };
}

/** That nothing of a node is at work any more. */
export function stoppedEvent(tookMs: number): TelemetryEvent {
  return { name: "node.stop.done", level: "info", message: `Stopped after ${tookMs} ms`, facts: { tookMs } };
}

function named(types: readonly string[]): string {
  if (types.length === 0) return "no type, since there is no handler";
  const first = types.slice(0, MOST_NAMED).join(", ");
  return types.length > MOST_NAMED ? `${first} and ${types.length - MOST_NAMED} more types` : first;
}
