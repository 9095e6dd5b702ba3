import {
  isoInstant,
  type SettingStanding,
  toStandingView,
  type TypeStanding,
  type TypeStandingFields,
} from "@tickwheel/calls";
import type { ApiKey, DeliveryKind, TypeFigures, TypeFiguresReading } from "@tickwheel/core";
import { FAILING, isFull, MAX_COUNTED_OVERDUE, presentNodes } from "@tickwheel/core";
import type { ClusterReport, NodeReport } from "@tickwheel/engine";

/** A type as a client sees it. Figures are those of the cluster. */
export interface TypeView extends TypeStandingFields<string> {
  type: string;
  delivery: DeliveryKind;
  overdue: number;
  /** There are more than `overdue`. */
  overdueAtLeast: boolean;
  oldestOverdueMs: number | null;
  running: number;
  startsPerSecond: number;
  /** How many succeeded in the last five minutes. */
  succeeded: number;
  /** How many of these had a condition that said no. */
  skipped: number;
  /** The share of the attempts of the last five minutes that failed; null: there were none. */
  failedShare: number | null;
  latenessMs: { p50: number; p99: number; max: number } | null;
  /** Labels of the nodes that run it. */
  nodes: string[];
  waitsFor: "HANDLER" | "CONSUMER" | "CAPACITY" | "BREAKER" | "PAUSE" | "LIMIT" | null;
  lastError: string | null;
}

/** A page of `GET /types`. */
export interface TypePageView {
  items: TypeView[];
  nextCursor: string | null;
  countedAt: string;
}

export interface TypePageRequest {
  limit: number;
  /** How many types the previous page and those before it had. */
  after: number;
}

interface TypesScene {
  cluster: ClusterReport;
  standing: SettingStanding;
  apiKey: Pick<ApiKey, "namespace" | "cluster">;
  /** One type alone; absent: all. */
  type?: string | undefined;
  page: TypePageRequest;
}

interface TypeScene {
  countedAt: number;
  present: readonly NodeReport[];
  areFull: boolean;
  standing: TypeStanding;
}

const MINUTE_S = 60;

/**
 * Types sorted by need: those that no node runs, those that fail, those that wait or are paused, the others; then by
 * name. Which nodes run them is told to keys with the right `cluster` alone.
 */
export function toTypePage(
  { countedAt, types }: TypeFiguresReading,
  { cluster, standing, apiKey, type, page }: TypesScene,
): TypePageView {
  const present = presentNodes(cluster);
  const areFull = present.length > 0 && present.every(isFull);
  const { namespace, cluster: isShownNodes } = apiKey;
  const asked = type === undefined ? types : types.filter((one) => one.type === type);
  const views = asked
    .map((figures) => {
      const stands = standing.ofType({ ...figures, id: figures.typeId, namespace });
      return toView(figures, { countedAt, present, areFull, standing: stands });
    })
    .sort(inNeed);
  const items = views.slice(page.after, page.after + page.limit);
  const end = page.after + items.length;
  return {
    items: isShownNodes ? items : items.map((item) => ({ ...item, nodes: [] })),
    nextCursor: end < views.length ? String(end) : null,
    countedAt: new Date(countedAt).toISOString(),
  };
}

function toView(figures: TypeFigures, { countedAt, present, areFull, standing }: TypeScene): TypeView {
  const { type, delivery, typeId, overdue, oldestDueAt, running, lastLatenessMs, lastError } = figures;
  const nodes = present.filter(({ typeIds }) => typeIds.includes(typeId)).map(({ label }) => label);
  const attempts = Math.max(figures.lastStarted, figures.lastFailed);
  return {
    type,
    delivery,
    running,
    lastError,
    nodes,
    overdue: Math.min(overdue, MAX_COUNTED_OVERDUE),
    overdueAtLeast: overdue > MAX_COUNTED_OVERDUE,
    oldestOverdueMs: oldestDueAt === null ? null : Math.max(0, countedAt - oldestDueAt),
    startsPerSecond: Math.round((figures.lastMinuteStarted / MINUTE_S) * 100) / 100,
    succeeded: figures.lastSucceeded,
    skipped: figures.lastSkipped,
    failedShare: attempts === 0 ? null : Math.round((figures.lastFailed / attempts) * 1_000) / 1_000,
    latenessMs: lastLatenessMs,
    waitsFor: overdue === 0 ? null : waitOf({ delivery, nodes, areFull, standing }),
    ...toStandingView(type, standing, isoInstant),
  };
}

/** What overdue tasks of a type wait for. */
function waitOf({
  delivery,
  nodes,
  areFull,
  standing,
}: Pick<TypeScene, "areFull" | "standing"> &
  Pick<TypeView, "delivery"> & {
    nodes: readonly string[];
  }): TypeView["waitsFor"] {
  if (standing.pause !== null) return "PAUSE";
  if (delivery === "pull") return standing.isLimitFull ? "LIMIT" : "CONSUMER";
  if (nodes.length === 0) return "HANDLER";
  if (standing.breaker !== null) return "BREAKER";
  if (standing.isLimitFull) return "LIMIT";
  return areFull ? "CAPACITY" : null;
}

function inNeed(one: TypeView, other: TypeView): number {
  return rankOf(one) - rankOf(other) || (one.type < other.type ? -1 : 1);
}

function rankOf({ waitsFor, failedShare, breaker, pause }: TypeView): number {
  if (waitsFor === "HANDLER") return 0;
  if ((failedShare ?? 0) >= FAILING.share) return 1;
  return waitsFor === null && breaker === null && pause === null ? 3 : 2;
}
