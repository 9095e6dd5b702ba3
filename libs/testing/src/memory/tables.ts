import type { CreateOutcome, EpochMs, JournalEntry, NodeBeat, NodeRecord, TaskType, Term, View } from "@tickwheel/core";
import type { TaskRow } from "./task-row.js";
import { VersionedRow } from "./versioned-row.js";

/** A remembered answer to a create. `answers` null: the request is on its way, in a transaction that is not committed. */
export interface IdempotencyRow {
  /** Namespace and key, by which it is found. */
  name: string;
  bodyHash: string;
  at: EpochMs;
  answers: readonly CreateAnswer[] | null;
}
export type CreateAnswer = { outcome: CreateOutcome; id: string } | { outcome: "rejected"; existingId: string };

/** The rows of each table. Tasks, history and journals are found by the task's id, nodes and beats by boot id. */
export interface TableRows {
  tasks: TaskRow;
  history: TaskRow;
  journals: readonly JournalEntry[];
  idempotency: IdempotencyRow;
  types: TaskType;
  nodes: NodeRecord;
  beats: NodeBeat;
  /** One row, {@link ONLY_ROW}. */
  terms: Term;
  /** One row, {@link ONLY_ROW}; null before the first view. */
  views: View | null;
}
export type TableName = keyof TableRows;
export const ONLY_ROW = "";

export type Table<Row> = Map<string, VersionedRow<Row>>;
export type Tables = { readonly [Name in TableName]: Table<TableRows[Name]> } & {
  /** The unique index on live keys: ids of the tasks that hold, held or may come to hold a key, by {@link keyName}. */
  readonly keys: Map<string, Set<string>>;
};

export const TABLE_NAMES: readonly TableName[] = [
  "tasks",
  "history",
  "journals",
  "idempotency",
  "types",
  "nodes",
  "beats",
  "terms",
  "views",
];

export function emptyTables(): Tables {
  const table = <Row>(): Table<Row> => new Map();
  return {
    ...{ tasks: table(), history: table(), journals: table(), idempotency: table(), types: table(), nodes: table() },
    ...{ beats: table(), terms: table(), views: table(), keys: new Map() },
  };
}

/** The name under which a live key is kept. */
export function keyName(typeId: number, key: string): string {
  return `${typeId}\0${key}`;
}
