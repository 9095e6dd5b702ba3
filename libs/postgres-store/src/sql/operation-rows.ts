import type {
  JoinedConditions,
  OperationAction,
  OperationOptions,
  OperationState,
  OperationStopReason,
  OperationUndo,
  PagePace,
  PassedCode,
  TaskOperation,
  UndoOutcome,
} from "@tickwheel/core";
import type { RawRow } from "../connection/session.js";
import { epochMs } from "./sql-fragments.js";
import { readInstant, readJson, readOptionalInstant, readText } from "./task-rows.js";

const INSTANTS = ["held_at", "created_at", "finished_at", "forgotten_at"] as const;
const JSON_COLUMNS = ["filter", "options", "passed", "recent", "undo", "left_behind"] as const;
const TEXTS = ["namespace", "action", "state", "held_by", "stop_reason", "created_by", "reason", "node"] as const;
const NUMBERS = ["estimate", "page", "found", "changed", "undone"] as const;

/** A whole operation, of a row `o`. */
export const OPERATION_FIELDS = [
  "o.id::text AS id",
  ...TEXTS.map((column) => `o.${column}`),
  ...NUMBERS.map((column) => `o.${column}::float8 AS ${column}`),
  ...JSON_COLUMNS.map((column) => `o.${column}::text AS ${column}`),
  ...INSTANTS.map((column) => `${epochMs(`o.${column}`)} AS ${column}`),
].join(", ");

/** A row of {@link OPERATION_FIELDS}. */
export function readOperationRow(row: RawRow): TaskOperation {
  return {
    id: row.id as string,
    namespace: row.namespace as string,
    action: row.action as OperationAction,
    filter: jsonOf<JoinedConditions>(row.filter),
    options: jsonOf<OperationOptions>(row.options),
    createdAt: readInstant(row.created_at),
    createdBy: row.created_by as string,
    reason: readText(row.reason),
    estimate: row.estimate === null ? null : Number(row.estimate),
    ...standingOf(row),
    ...progressOf(row),
  };
}

function standingOf(row: RawRow) {
  return {
    state: row.state as OperationState,
    heldAt: readOptionalInstant(row.held_at),
    heldBy: readText(row.held_by),
    stopReason: readText(row.stop_reason) as OperationStopReason | null,
    finishedAt: readOptionalInstant(row.finished_at),
    undo: jsonOf<OperationUndo | null>(row.undo),
    forgottenAt: readOptionalInstant(row.forgotten_at),
  };
}

function progressOf(row: RawRow) {
  return {
    pages: Number(row.page),
    found: Number(row.found),
    changed: Number(row.changed),
    passed: jsonOf<Partial<Record<PassedCode, number>>>(row.passed),
    recent: jsonOf<PagePace[]>(row.recent),
    node: readText(row.node),
    undone: Number(row.undone),
    leftBehind: jsonOf<Partial<Record<UndoOutcome, number>>>(row.left_behind),
  };
}

function jsonOf<Value>(text: unknown): Value {
  return readJson(text) as unknown as Value;
}
