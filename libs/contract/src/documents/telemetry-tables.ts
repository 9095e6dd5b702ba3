import { type EventEntry, EVENTS, type MetricDefinition, METRICS, EVENT_PARTS } from "@tickwheel/core";
import { code, table } from "./markdown.js";

/**
 * The tables of events, of the parts of a node that may fail for a while, and of metrics.
 *
 * @param facts names of each event's facts, one that is not always there with a `?` behind it; by the event's name
 */
export function telemetryTables(facts: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const events = Object.entries<EventEntry>(EVENTS).map(([name, { level, text }]) => [
    code(name),
    level,
    text,
    codesOf(facts[name] ?? []),
  ]);
  const parts = Object.entries(EVENT_PARTS).map(([part, text]) => [code(part), text]);
  const metrics = Object.entries<MetricDefinition>(METRICS).map(([name, { kind, labels, help }]) => [
    code(name),
    kind,
    codesOf(labels),
    help,
  ]);
  return {
    events: table(["event", "level", "when", "facts"], events),
    parts: table(["part", "what fails"], parts),
    metrics: table(["metric", "kind", "labels", "what it tells"], metrics),
  };
}

const codesOf = (names: readonly string[]): string => (names.length === 0 ? "none" : names.map(code).join(", "));
