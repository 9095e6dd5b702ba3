import {
  type AheadReading,
  type Capacity,
  capacityOf,
  type ClusterEventPage,
  type ClusterEventQuery,
  type ClusterEventStore,
  type FigureStore,
  type Finding,
  type FindingCode,
  type FindingReport,
  firstOverCapacity,
  type HistoryReading,
  type OverCapacity,
  type TabCounts,
  TickwheelError,
  type TypeFiguresReading,
} from "@tickwheel/core";
import type { ClusterStatus, Ownership } from "@tickwheel/coordination";
import { type ClusterWheel, clusterWheelOf } from "./cluster-wheel.js";
import { SlotOwnersKeeper } from "./slot-owners.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What can be asked for of the past: how many buckets of which length. */
export const HISTORY_RANGES = {
  "1h": { bucketMs: MINUTE_MS, buckets: 60 },
  "24h": { bucketMs: 10 * MINUTE_MS, buckets: 144 },
  "7d": { bucketMs: HOUR_MS, buckets: 168 },
} as const;
export type HistoryRange = keyof typeof HISTORY_RANGES;

/** What can be asked for of the future. */
export const AHEAD_RANGES = {
  "1m": { bucketMs: SECOND_MS, buckets: 60 },
  "1h": { bucketMs: MINUTE_MS, buckets: 60 },
  "24h": { bucketMs: HOUR_MS, buckets: 24 },
  "30d": { bucketMs: DAY_MS, buckets: 30 },
} as const;
export type AheadRange = keyof typeof AHEAD_RANGES;

/** What people should look at, and what says nothing about the health of a node. */
const OF_TASKS: ReadonlySet<FindingCode> = new Set(["DEAD_TASKS"]);

/** What is to come, against what can be started. */
export interface Forecast extends AheadReading {
  capacity: Capacity;
  over: OverCapacity | null;
}

export interface FigureServiceParts {
  findings: { report(): Promise<FindingReport>; known(): Finding[] };
  /** Null: this node cannot count anything. */
  figures: FigureStore | null;
  /** Null or absent: nobody keeps what has happened to the cluster. */
  events?: ClusterEventStore | null;
  /** The cluster as this node sees it. */
  view: { status(): Promise<ClusterStatus>; ownership(): Ownership };
}

/**
 * What people want to see of a cluster: what is the matter, and figures. All of it is read, and a little old; nothing
 * is decided by it. @throws TickwheelError what the store throws, but for the findings
 */
export class FigureService {
  private readonly owners = new SlotOwnersKeeper();

  constructor(private readonly parts: FigureServiceParts) {}

  /** What is the matter with the cluster, and what was within the last day. Answers without Postgres, too. */
  findings(): Promise<FindingReport> {
    return this.parts.findings.report();
  }

  /**
   * Whether something is the matter with the cluster that somebody should look at, as far as this node knows without
   * looking. Dead tasks alone are not.
   */
  get isDegraded(): boolean {
    return this.parts.findings.known().some(({ code, severity }) => severity !== "notice" && !OF_TASKS.has(code));
  }

  /**
   * Every type of a namespace in numbers, about a second old; older where counting is dear. Null: of all namespaces.
   */
  async types(namespace: string | null): Promise<TypeFiguresReading> {
    return this.figures.types(namespace);
  }

  /** How many tasks of a namespace each tab has, at most ten seconds old. */
  tabs(namespace: string): Promise<TabCounts> {
    return this.figures.tabs(namespace);
  }

  history({
    namespace,
    type,
    range,
  }: {
    namespace: string;
    type?: string;
    range: HistoryRange;
  }): Promise<HistoryReading> {
    return this.figures.history({ namespace, type, ...HISTORY_RANGES[range] });
  }

  /** @param request `namespace` null: all of them together */
  async forecast({
    namespace,
    type,
    ahead,
  }: {
    namespace: string | null;
    type?: string;
    ahead: AheadRange;
  }): Promise<Forecast> {
    const { bucketMs, buckets } = AHEAD_RANGES[ahead];
    const [reading, pace, status] = await Promise.all([
      this.figures.ahead({ namespace, type, bucketMs, buckets }),
      this.figures.pace(),
      this.parts.view.status(),
    ]);
    const capacity = capacityOf(pace, placesOf(status));
    return { ...reading, capacity, over: firstOverCapacity(reading, capacity, bucketMs) };
  }

  /**
   * The first bucket to come that holds more than the cluster can start: a minute of the hour, else an hour of the day.
   */
  async overCapacity(): Promise<OverCapacity | null> {
    const { over } = await this.forecast({ namespace: null, ahead: "1h" });
    return over ?? (await this.forecast({ namespace: null, ahead: "24h" })).over;
  }

  /** The minute to come of all namespaces together, and each node's share of it by the newest view. */
  async clusterWheel(): Promise<ClusterWheel> {
    const ownership = this.parts.view.ownership();
    const owners = this.owners.of(ownership);
    const [reading, pace, status] = await Promise.all([
      this.figures.wheel(owners),
      this.figures.pace(),
      this.parts.view.status(),
    ]);
    const capacity = capacityOf(pace, placesOf(status));
    return clusterWheelOf(reading, { owners, nodes: ownership.nodes, status, capacity });
  }

  /** What has happened to the cluster, newest first. */
  async clusterEvents(query: ClusterEventQuery): Promise<ClusterEventPage> {
    if (this.parts.events) return this.parts.events.page(query);
    throw new TickwheelError("STORE_UNAVAILABLE", "This node's store keeps no events of the cluster.");
  }

  private get figures(): FigureStore {
    if (this.parts.figures) return this.parts.figures;
    throw new TickwheelError("STORE_UNAVAILABLE", "This node's store counts no figures.");
  }
}

/** Nodes that run tasks, and their places together. */
function placesOf({ nodes }: Pick<ClusterStatus, "nodes">): { nodes: number; places: number } {
  const present = nodes.filter(
    ({ state, roles }) => (state === "live" || state === "suspect") && roles.includes("engine"),
  );
  return { nodes: present.length, places: present.reduce((sum, { vitals }) => sum + (vitals?.places ?? 0), 0) };
}
