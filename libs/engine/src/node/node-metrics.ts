import {
  type Clock,
  doneWithin,
  type Finding,
  type MetricReading,
  type MetricSample,
  readingOf,
  type TypeFiguresReading,
} from "@tickwheel/core";
import type { ClusterNode, Health, Ownership } from "@tickwheel/coordination";
import type { NodeMeters } from "../counting/node-meters.js";
import { MAX_NAMED_TYPES, type NameOf, OTHER } from "../counting/type-totals.js";
import { type LimitLooks, limitMetrics } from "../limits/limit-metrics.js";
import type { NodeQueues } from "../pulling/node-queues.js";
import type { NodeSettings } from "../types/node-settings.js";
import type { NodeBreakers } from "./node-breakers.js";
import type { Engine } from "./engine.js";

/** A scrape waits for the store no longer than this, and goes without what it did not answer. */
const FIGURES_LIMIT_MS = 1_000;
const SECOND_MS = 1_000;
/** Parts that are always told of, 0 where they work. */
const WATCHED_PARTS = ["postgres", "redis", "heartbeat", "messages"];

/** What the metrics of a node are read from. */
export interface MetricSources {
  clock: Clock;
  meters: NodeMeters;
  types: { get: NameOf };
  health: Pick<Health, "list">;
  ownership: Ownership;
  /** Null: the node has no engine. */
  member: Pick<ClusterNode, "leadership"> | null;
  breakers: Pick<NodeBreakers, "metrics"> | null;
  engine: Pick<Engine, "levels"> | null;
  /** Null: there is no store of settings. */
  settings: (Pick<NodeSettings, "metrics"> & LimitLooks) | null;
  /** Null: the node serves no consumers. */
  queues: Pick<NodeQueues, "metrics"> | null;
  isReady: boolean;
  /** What this node has seen lately, as a leader does all the time. */
  findings: { known(): readonly Finding[] };
  figures: { types(namespace: null): Promise<TypeFiguresReading> };
}

/**
 * What a node tells `/metrics` of itself, and, if it leads, of the cluster. Never throws: what the store does not
 * answer in time is left out. Cost: one pass over the types; of a leader one read as well, which others of the same
 * second share.
 */
export async function nodeMetrics(sources: MetricSources): Promise<MetricReading[]> {
  const { meters, types, ownership, member, engine, isReady } = sources;
  const leadership = member?.leadership() ?? null;
  return [
    readingOf("tickwheel_ready", isReady ? 1 : 0),
    ...meters.read((typeId) => types.get(typeId)),
    ...(engine?.levels() ?? []),
    ...(sources.settings?.metrics() ?? []),
    ...(sources.queues?.metrics() ?? []),
    degradedParts(sources.health),
    readingOf("tickwheel_nodes", ownership.nodes.length),
    readingOf("tickwheel_view", ownership.viewNumber),
    readingOf("tickwheel_slots_owned", ownership.ownedCount),
    readingOf("tickwheel_leader_term", leadership?.term ?? 0),
    ...(leadership ? await ofCluster(sources) : []),
  ];
}

/** Parts of which there may be any number are told by their kind alone. */
function degradedParts(health: Pick<Health, "list">): MetricReading {
  const values = new Map(WATCHED_PARTS.map((part) => [part, 0]));
  for (const { part } of health.list()) values.set(part.startsWith("node ") ? "node" : part, 1);
  return { name: "tickwheel_degraded", samples: [...values].map(([part, value]) => ({ labels: { part }, value })) };
}

async function ofCluster({
  clock,
  findings,
  figures,
  settings,
  breakers,
  types,
}: MetricSources): Promise<MetricReading[]> {
  const limits = settings ? limitMetrics(settings, (typeId) => types.get(typeId)) : [];
  const readings = [openFindings(findings.known()), ...limits, ...(breakers ? [breakers.metrics()] : [])];
  let answer: TypeFiguresReading | null = null;
  const asked = figures.types(null).then((reading) => void (answer = reading));
  await doneWithin(clock, FIGURES_LIMIT_MS, asked).catch(() => undefined);
  return answer === null ? readings : [...readings, ...overdue(answer)];
}

function openFindings(open: readonly Finding[]): MetricReading {
  const byCode = new Map<string, { labels: { code: string; severity: string }; value: number }>();
  for (const { code, severity } of open) {
    const name = `${code} ${severity}`;
    const sample = byCode.get(name) ?? { labels: { code, severity }, value: 0 };
    sample.value++;
    byCode.set(name, sample);
  }
  return { name: "tickwheel_findings", samples: [...byCode.values()] };
}

/** The types with the oldest overdue tasks by name, the rest as one. */
function overdue({ countedAt, types }: TypeFiguresReading): MetricReading[] {
  const figures = types.map(({ namespace, type, overdue: tasks, oldestDueAt }) => ({
    labels: { namespace, type },
    tasks,
    oldestSeconds: oldestDueAt === null ? 0 : Math.max(0, countedAt - oldestDueAt) / SECOND_MS,
  }));
  figures.sort((one, other) => other.oldestSeconds - one.oldestSeconds);
  const named = figures.slice(0, MAX_NAMED_TYPES);
  const rest = figures.slice(MAX_NAMED_TYPES);
  if (rest.length > 0)
    named.push({
      labels: { namespace: OTHER, type: OTHER },
      tasks: rest.reduce((sum, { tasks }) => sum + tasks, 0),
      oldestSeconds: rest[0]!.oldestSeconds,
    });
  const samples = (valueOf: (one: (typeof named)[number]) => number): MetricSample[] =>
    named.map((one) => ({ labels: one.labels, value: valueOf(one) }));
  return [
    { name: "tickwheel_overdue_tasks", samples: samples(({ tasks }) => tasks) },
    { name: "tickwheel_oldest_overdue_seconds", samples: samples(({ oldestSeconds }) => oldestSeconds) },
  ];
}
