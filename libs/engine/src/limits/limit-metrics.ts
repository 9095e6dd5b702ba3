import type { FlowLimit, LimitId, LimitState, MetricReading, MetricSample } from "@tickwheel/core";
import { MAX_NAMED_TYPES, type NameOf, OTHER } from "../counting/type-totals.js";

/** What is known of limits. */
export interface LimitLooks {
  readonly current: { readonly limits: readonly FlowLimit[] };
  levelOf(limitId: LimitId): Pick<LimitState, "running"> | null;
}

interface Counted {
  labels: { namespace: string; type: string };
  max: number;
  /** Null: it is not known. */
  running: number | null;
}

/**
 * How many tasks the limits of the cluster let run at once, and how many hold their places: the fullest by name, the
 * rest as one. One node of the cluster tells it, so that sums over nodes are right.
 */
export function limitMetrics(looks: LimitLooks, nameOf: NameOf): MetricReading[] {
  const counted = looks.current.limits.flatMap((limit): Counted[] => {
    const type = limit.typeId === null ? "" : nameOf(limit.typeId)?.type;
    if (limit.maxRunning === null || type === undefined) return [];
    const labels = { namespace: limit.namespace, type };
    return [{ labels, max: limit.maxRunning, running: looks.levelOf(limit.id)?.running ?? null }];
  });
  const all = namedOf(counted.toSorted((one, other) => shareOf(other) - shareOf(one)));
  const samples = (valueOf: (one: Counted) => number | null): MetricSample[] =>
    all.flatMap((one) => {
      const value = valueOf(one);
      return value === null ? [] : [{ labels: one.labels, value }];
    });
  return [
    { name: "tickwheel_limit_max", samples: samples(({ max }) => max) },
    { name: "tickwheel_limit_running", samples: samples(({ running }) => running) },
  ];
}

function shareOf({ max, running }: Counted): number {
  return (running ?? 0) / max;
}

function namedOf(sorted: readonly Counted[]): Counted[] {
  const named = sorted.slice(0, MAX_NAMED_TYPES);
  const rest = sorted.slice(MAX_NAMED_TYPES);
  if (rest.length === 0) return named;
  const max = rest.reduce((sum, one) => sum + one.max, 0);
  const running = rest.reduce((sum, one) => sum + (one.running ?? 0), 0);
  return [...named, { labels: { namespace: OTHER, type: OTHER }, max, running }];
}
