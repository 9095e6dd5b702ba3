import type { ClusterEventStore, LimitId, Revision, SchedulerOptions, TaskStore } from "@tickwheel/core";
import type { ClusterNode, ClusterStatus, EngineVitals, Health, Ownership } from "@tickwheel/coordination";
import { type NodeHoldings, NOTHING_HELD } from "../held/node-holdings.js";
import type { ClusterReport } from "../requests/requests.js";
import type { DbClock } from "../runtime/db-clock.js";
import type { MeteredClock } from "../runtime/metered-clock.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { clusterReport } from "./cluster-report.js";
import type { Engine } from "./engine.js";
import { readGone } from "./gone-nodes.js";

/** What a report of the cluster is made from. */
export interface ReportSources {
  status(): Promise<ClusterStatus>;
  tasks: Pick<TaskStore, "quarantine">;
  /** Absent: nobody keeps what has happened to the cluster. */
  events?: ClusterEventStore;
  types: Pick<TypeDirectory, "get">;
  dbClock: Pick<DbClock, "ensureSet" | "nowMs">;
}

/** The cluster as `GET /cluster` shows it. @throws TickwheelError `STORE_UNAVAILABLE` */
export async function readReport(sources: ReportSources): Promise<ClusterReport> {
  const { tasks, events, types, dbClock } = sources;
  await dbClock.ensureSet();
  const [status, quarantine, gone] = await Promise.all([
    sources.status(),
    tasks.quarantine().catch(() => null),
    readGone(events, dbClock.nowMs()),
  ]);
  return clusterReport({ status, quarantine, gone, types, nowMs: dbClock.nowMs() });
}

/** What holdings are read from. */
export interface HoldingSources {
  member: Pick<ClusterNode, "bootId" | "phase" | "leadership"> | null;
  engine: Pick<Engine, "holdings"> | null;
  ownership: Ownership;
  types: Pick<TypeDirectory, "runnable">;
  health: Pick<Health, "list">;
}

/** What a node holds and knows now. */
export function holdingsOf({ member, engine, ownership, types, health }: HoldingSources): NodeHoldings {
  return {
    bootId: member?.bootId ?? null,
    phase: member?.phase ?? null,
    view: ownership.viewNumber,
    term: member?.leadership()?.term ?? null,
    typeIds: types.runnable(),
    degraded: health.list().map(({ part }) => part),
    ...(engine?.holdings() ?? NOTHING_HELD),
  };
}

/** What a node's vitals are read from. */
export interface VitalSources {
  clock: Pick<MeteredClock, "takeWorstLagMs">;
  dbClock: Pick<DbClock, "driftMs">;
  options: Pick<SchedulerOptions, "concurrency">;
  wheelSize: number;
  inFlight: number;
  signsWebhooks: boolean | undefined;
  /** The revision of the settings that it obeys; null: none yet. */
  obeyed: Revision | null;
  /** The limits at which it has found no place lately. */
  waits: readonly LimitId[];
}

/** What a node tells of itself with each beat. */
export function vitalsOf({
  clock,
  dbClock,
  options,
  signsWebhooks,
  obeyed,
  waits,
  ...counts
}: VitalSources): EngineVitals {
  return {
    loopLagMs: clock.takeWorstLagMs(),
    clockOffsetMs: dbClock.driftMs,
    wheelSize: counts.wheelSize,
    inFlight: counts.inFlight,
    places: options.concurrency,
    ...(signsWebhooks ? { signsWebhooks } : {}),
    ...(waits.length > 0 ? { waits } : {}),
    ...(obeyed ? { settings: [obeyed.timeline, obeyed.number] as const } : {}),
  };
}
