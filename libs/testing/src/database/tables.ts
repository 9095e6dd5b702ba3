import type {
  BlockedLoop,
  BootId,
  Breaker,
  ClusterEvent,
  CreateOutcome,
  EpochMs,
  FlowLimit,
  NodeBeat,
  NodeRecord,
  Pause,
  Rate,
  RejectedCreate,
  Revision,
  TaskType,
  Term,
  TypeSetting,
  View,
} from "@tickwheel/core";
import type { AnnouncedSchedule, StoredSchedule } from "@tickwheel/schedules";
import type { ReportRow, StepRow } from "./effect-rows.js";
import type { Journal } from "./journal.js";
import type { ScheduleRunRow } from "./schedule-run-row.js";
import type { TaskRow } from "./task-row.js";
import { VersionedRow } from "./versioned-row.js";

/**
 * A remembered answer to a create. `answers` is null while the request is in flight, in a transaction that is not
 * committed.
 */
export interface IdempotencyRow {
  /** Namespace and key: the row is found by these. */
  name: string;
  bodyHash: string;
  at: EpochMs;
  answers: readonly CreateAnswer[] | null;
}
export type CreateAnswer = { outcome: CreateOutcome; id: string } | RejectedCreate;

/** A node. `blocked` is set if the node died while its event loop was blocked. */
export interface NodeRow extends NodeRecord {
  blocked?: BlockedLoop;
}

/** A node whose row is gone; tasks still name it. */
export interface FormerNodeRow {
  bootId: BootId;
  label: string;
  forgottenAt: EpochMs;
}

/** A suspect, and how often its node died with a blocked loop. */
export interface SuspectRow {
  taskId: string;
  kills: number;
  killedAt: EpochMs;
}

/** The execution that entered last. Null: none ever did. */
export type QuarantineRow = { taskId: string; owner: BootId; fence: number; since: EpochMs } | null;

/** A schedule. A deleted one is kept for its runs. */
export interface ScheduleRow {
  schedule: StoredSchedule;
  /** The number of its newest run. */
  lastSeq: number;
  isDeleted: boolean;
}

/** A definition in code that nodes announce. */
export interface AnnouncementRow extends AnnouncedSchedule {
  /** The row is found by this. */
  place: string;
  bootIds: readonly BootId[];
  firstSeenAt: EpochMs;
  /** Until when one that announces it no more has announced it. */
  leftAt: EpochMs;
}

export interface TypeRow extends TaskType {
  usedAt: EpochMs;
  isDropped: boolean;
}

/** A pause, also one that has been over for a while. */
export interface PauseRow extends Pause {
  /** The row is found by this; its order is that of the pauses' beginnings. */
  place: string;
}

/** A limit, with the tasks that hold its places: those of them that run. */
export interface FlowLimitRow extends FlowLimit {
  places: readonly string[];
}

/** The tokens of a limit's rate. */
export interface BucketRow {
  rate: Rate;
  tokens: number;
  refilledAt: EpochMs;
}

/** Until when a consumer has a task, under which fence. */
export interface LeaseRow {
  taskId: string;
  fence: number;
  untilAt: EpochMs;
  consumer: string;
}

/** The rows of each table. Tasks, history and journals are found by the task's id, nodes and beats by boot id. */
export interface TableRows {
  tasks: TaskRow;
  history: TaskRow;
  journals: Journal;
  idempotency: IdempotencyRow;
  types: TypeRow;
  nodes: NodeRow;
  formerNodes: FormerNodeRow;
  beats: NodeBeat;
  /** One row, {@link ONLY_ROW}. */
  terms: Term;
  /** One row, {@link ONLY_ROW}; null before the first view. */
  views: View | null;
  /** By their ids. */
  clusterEvents: ClusterEvent;
  suspects: SuspectRow;
  /** One row, {@link ONLY_ROW}. */
  quarantines: QuarantineRow;
  schedules: ScheduleRow;
  /** Runs and skipped stretches, by {@link ScheduleRunRow.place}. */
  scheduleRuns: ScheduleRunRow;
  announcements: AnnouncementRow;
  /** By {@link StepRow.place}. */
  steps: StepRow;
  /** By the task's id. */
  reports: ReportRow;
  /** One row, {@link ONLY_ROW}: that of the settings. */
  revisions: Revision;
  /** By the type's number. */
  typeSettings: TypeSetting;
  /** By their numbers. */
  flowLimits: FlowLimitRow;
  /** By the limits' numbers. */
  buckets: BucketRow;
  /** By `breakerPlace`. */
  breakers: Breaker;
  /** By {@link PauseRow.place}. */
  pauses: PauseRow;
  /** By the task's id. */
  leases: LeaseRow;
}
export type TableName = keyof TableRows;
export const ONLY_ROW = "";

export type Table<Row> = Map<string, VersionedRow<Row>>;
export type Tables = { readonly [Name in TableName]: Table<TableRows[Name]> } & {
  /**
   * The unique index on live keys: by `keyNameOf`, the ids of the tasks that hold a key, have held it or may come to
   * hold it.
   */
  readonly keys: Map<string, Set<string>>;
  /** The sequence of events. */
  readonly lastEvent: { id: number };
  /** The sequence of limits. */
  readonly lastLimit: { id: number };
};

export const TABLE_NAMES: readonly TableName[] = [
  "tasks",
  "history",
  "journals",
  "idempotency",
  "types",
  "nodes",
  "formerNodes",
  "beats",
  "terms",
  "views",
  "clusterEvents",
  "suspects",
  "quarantines",
  "schedules",
  "scheduleRuns",
  "announcements",
  "steps",
  "reports",
  "revisions",
  "typeSettings",
  "flowLimits",
  "buckets",
  "breakers",
  "pauses",
  "leases",
];

export function emptyTables(): Tables {
  const table = <Row>(): Table<Row> => new Map();
  return {
    tasks: table(),
    history: table(),
    journals: table(),
    idempotency: table(),
    types: table(),
    nodes: table(),
    formerNodes: table(),
    beats: table(),
    terms: table(),
    views: table(),
    clusterEvents: table(),
    suspects: table(),
    quarantines: table(),
    schedules: table(),
    scheduleRuns: table(),
    announcements: table(),
    steps: table(),
    reports: table(),
    revisions: table(),
    typeSettings: table(),
    flowLimits: table(),
    buckets: table(),
    breakers: table(),
    pauses: table(),
    leases: table(),
    keys: new Map(),
    lastEvent: { id: 0 },
    lastLimit: { id: 0 },
  };
}
