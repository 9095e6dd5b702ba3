import type { Cluster, History, TypeFigures } from "../api/wire.js";
import { namesOf } from "../nodes/node-names.js";
import { formatCount } from "../time/format.js";

export interface PlacesWords {
  readonly used: string;
  /** `of 300`, or what the figure is of where the limit is not known. */
  readonly of: string;
  readonly note: string;
}

/**
 * Places in use of those that there are. Where the user may not see the nodes, it is the mean of the last whole minute.
 */
export function placesOf(cluster: Cluster | null, history: History | null): PlacesWords {
  const nodes = cluster?.nodes.filter(({ state, places }) => state !== "dead" && places > 0) ?? [];
  if (nodes.length === 0) {
    const mean = history?.buckets.at(-2)?.places;
    return { used: formatCount(mean), of: "last minute", note: "on the mean" };
  }
  const used = nodes.reduce((sum, { inFlight }) => sum + (inFlight ?? 0), 0);
  const limit = nodes.reduce((sum, { places }) => sum + places, 0);
  const nameOf = namesOf({ nodes });
  const busiest = [...nodes].sort((one, other) => (other.inFlight ?? 0) - (one.inFlight ?? 0)).slice(0, 3);
  return {
    used: formatCount(used),
    of: `of ${formatCount(limit)}`,
    note: `${Math.round((used / limit) * 100)} %: ${busiest.map((node) => `${nameOf(node)} ${formatCount(node.inFlight)}`).join(", ")}`,
  };
}

/** Which types the overdue tasks are of, and why they wait where one reason holds for all. */
export function overdueNote(types: readonly TypeFigures[]): string {
  const late = types.filter(({ overdue }) => overdue > 0).sort((one, other) => other.overdue - one.overdue);
  const [first, ...others] = late;
  if (!first) return "nothing waits";
  if (others.length > 0) return `most are ${first.type}`;
  return first.waitsFor === "HANDLER" ? `all ${first.type}, no node runs it` : `all ${first.type}`;
}

/** `1.6 % of the starts, 12 in the last hour`; which share that is, and what the last hour had. */
export function failedNote({
  failed,
  started,
  failedInHour,
}: {
  readonly failed: number;
  readonly started: number;
  /** Undefined: that is not known yet. */
  readonly failedInHour: number | undefined;
}): string {
  const share = Math.min(100, Math.round((failed / started) * 1_000) / 10);
  return [
    ...(failed > 0 && started > 0 ? [`${share} % of the starts`] : []),
    ...(failedInHour === undefined ? [] : [`${formatCount(failedInHour)} in the last hour`]),
  ].join(", ");
}
