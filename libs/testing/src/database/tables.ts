import type {
  BlockedLoop,
  BootId,
  CreateOutcome,
  EpochMs,
  NodeBeat,
  NodeRecord,
  TaskType,
  Term,
  View,
} from "@tickwheel/core";
import type { Journal } from "./journal.js";
import type { TaskRow } from "./task-row.js";
import { VersionedRow } from "./versioned-row.js";

/**
 * A remembered answer to a create. `answers` null: the request is on its way, in a transaction that is not committed.
 */
export interface IdempotencyRow {
  /** Namespace and key, by which it is found. */
  name: string;
  bodyHash: string;
  at: EpochMs;
  answers: readonly CreateAnswer[] | null;
}
export type CreateAnswer = { outcome: CreateOutcome; id: string } | { outcome: "rejected"; existingId: string };

/** A node; `blocked` of one that died while its event loop was blocked. */
export interface NodeRow extends NodeRecord {
  blocked?: BlockedLoop;
}

/** A node whose row is gone; tasks still name it. */
export interface FormerNodeRow {
  bootId: BootId;
  label: string;
  forgottenAt: EpochMs;
}

/** A task that is to run in quarantine, and how often its loop was blocked when its node died. */
export interface SuspectRow {
  taskId: string;
  kills: number;
  killedAt: EpochMs;
}

/** The execution that entered last; null: none ever did. */
export type QuarantineRow = { taskId: string; owner: BootId; fence: number; since: EpochMs } | null;

export interface TypeRow extends TaskType {
  usedAt: EpochMs;
  isDropped: boolean;
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
  suspects: SuspectRow;
  /** One row, {@link ONLY_ROW}. */
  quarantines: QuarantineRow;
}
export type TableName = keyof TableRows;
export const ONLY_ROW = "";

export type Table<Row> = Map<string, VersionedRow<Row>>;
export type Tables = { readonly [Name in TableName]: Table<TableRows[Name]> } & {
  /** The unique index on live keys: ids of the tasks that hold, held or may come to hold a key, by `keyNameOf`. */
  readonly keys: Map<string, Set<string>>;
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
  "suspects",
  "quarantines",
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
    suspects: table(),
    quarantines: table(),
    keys: new Map(),
  };
}
