import { effect, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Ahead } from "../api/asked.js";
import type { Cluster, Forecast, History } from "../api/wire.js";
import { historyWith } from "../charts/history-columns.js";
import type { Feed } from "../feeds/feed.js";
import { health } from "../feeds/health.js";
import { sourceMode } from "../feeds/live-mode.js";
import { topicPaths, type Topic } from "../feeds/topics.js";
import { useReading } from "../feeds/use-reading.js";
import { useStream } from "../feeds/use-stream.js";
import type { OverviewView } from "../place/route.js";
import { session } from "../session/session.js";
import { hearFindings, storeAway } from "../session/store-health.js";

/** How many answers the bars of what is overdue show. */
const remembered = 60;

/** What every viewer may hear of. */
const TOPICS = ["findings", "stats", "types", "wheel", "history"] as const;

/** All that the overview shows: what the stream tells each second, and what is read each minute. */
export function useOverview({ range = "1h", ahead = "1h", type }: OverviewView) {
  const seesNodes = session.peek()?.cluster ?? false;
  const stream = useStream<Topic>(...TOPICS, ...(seesNodes ? ["cluster" as const] : []));
  const { feeds } = stream;
  useEffect(() => (seesNodes ? effect(() => void (health.value = feeds.cluster.value)) : undefined), []);
  const overdue = useSignal<readonly number[]>([]);
  useEffect(
    () =>
      effect(() => {
        const { value, problem } = feeds.wheel.value;
        if (value && !problem) overdue.value = [...overdue.peek(), value.overdue].slice(-remembered);
      }),
    [],
  );
  useEffect(() => effect(() => hearFindings(feeds.findings.value.value?.now ?? [], Date.now())), []);
  const readHour = useReading<History>(topicPaths.history);
  const tail = feeds.history.value;
  const hour = useMemo(() => withTail(readHour, tail), [readHour, tail]);
  const isUsual = range === "1h" && type === undefined;
  const chosen = useReading<History>(isUsual ? null : pathOf("/stats/history", { range, type }));
  const forecasts = {
    "1h": useReading<Forecast>(pathOf("/stats/forecast", { ahead: "1h" })),
    "24h": useReading<Forecast>(pathOf("/stats/forecast", { ahead: "24h" })),
    "30d": useReading<Forecast>(pathOf("/stats/forecast", { ahead: "30d" })),
  };
  const ofType = useReading<Forecast>(type === undefined ? null : pathOf("/stats/forecast", { ahead, type }));
  const cluster: Feed<Cluster> | null = seesNodes ? feeds.cluster.value : null;
  const oldSince = oldSinceOf(feeds.findings.value, stream.lastEventAt);
  return {
    stream,
    seesNodes,
    cluster,
    hour,
    overdue: overdue.value,
    findings: feeds.findings.value,
    stats: feeds.stats.value,
    types: feeds.types.value.value?.items ?? [],
    wheel: feeds.wheel.value,
    history: isUsual ? hour : chosen,
    forecasts: valuesOf(forecasts),
    forecast: type === undefined ? forecasts[ahead] : ofType,
    oldSince,
    // While Postgres is away a node still gives figures that it remembers.
    oldest: storeAway.value?.since ?? oldSince,
  };
}

function withTail(history: Feed<History>, { value: tail, problem }: Feed<History>): Feed<History> {
  if (!history.value || !tail || problem) return history;
  return { ...history, value: historyWith(history.value, tail) };
}

function valuesOf(feeds: Readonly<Record<Ahead, Feed<Forecast>>>): Record<Ahead, Forecast | null> {
  return { "1h": feeds["1h"].value, "24h": feeds["24h"].value, "30d": feeds["30d"].value };
}

/** Since when nothing has been heard, in milliseconds of the epoch; null: what is shown is current. */
function oldSinceOf({ readAt, problem }: Feed<unknown>, lastEventAt: number | null): number | null {
  const mode = sourceMode.value;
  const isOld = mode?.kind === "stale" || (problem !== null && readAt !== null);
  return isOld ? Math.max(readAt ?? 0, lastEventAt ?? 0) : null;
}

export function pathOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
}
