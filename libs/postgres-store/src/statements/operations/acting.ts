import {
  type EpochMs,
  type ExecutionRef,
  type JoinedConditions,
  OPERATION_RESULT_BYTES,
  type OperationPlan,
  type PageTask,
  type PassedCode,
} from "@tickwheel/core";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { arrayRows, HINT_FIELDS, now, stateById, wholeMs } from "../../sql/sql-fragments.js";
import { STATE, stateOf } from "../../sql/state-codes.js";
import type { TaskColumn } from "../../sql/task-columns.js";
import { conditionsOf, type Parameter, typeCondition } from "../../sql/task-filter-sql.js";
import { readHint, readInstant } from "../../sql/task-rows.js";
import { writtenAnew } from "../../sql/written-anew.js";
import { actionCondition } from "./action-condition.js";

/** Some tasks of a page, to be changed as the operation says. */
export interface ActRequest {
  operationId: string;
  plan: OperationPlan;
  /** The tasks that the look has found. */
  ids: readonly string[];
  /** False: the results of tasks are not remembered any more; there are too many. */
  keepsResults: boolean;
  asOf: EpochMs | null;
}

/** What became of one of them. A task without an answer fits no more, or somebody holds its lock. */
export interface ActedTask {
  id: string;
  outcome: "CHANGED" | Extract<PassedCode, "ASKED" | "KEY_TAKEN" | "OVERDUE">;
  /** For the messages behind the commit; null: it was not changed. */
  task: PageTask | null;
  /** The execution that was asked to stop; null: none was. */
  asked: ExecutionRef | null;
  /** How many bytes of its result are remembered. */
  resultBytes: number;
}

/** What the SQL of an action is made of. Values are parameters. */
export interface Acting {
  schema: QuotedSchema;
  plan: OperationPlan;
  parameter: Parameter;
  /** The database's now (an expression of `now`, volatile). */
  now: string;
  operationId: string;
  actor: string;
  /** How many bytes of a row's result are remembered; a statement that does not ask has no such parameter. */
  keptBytes: (row: string) => string;
  /**
   * The rows of a table that the page has found and that still fit filter and action, locked, rows that are locked
   * elsewhere passed by. Columns are those of the table. Each is probed by its id and judged once it is locked: joined
   * with the conditions, a plan without statistics read all tasks of the type for each of the page.
   *
   * @param states only rows in these states; default: all
   */
  locked: (table: "task" | "history", states?: readonly (keyof typeof STATE)[]) => string;
  /** Remembers rows as they were, see {@link remember}. */
  remember: (source: string, left: LeftRow) => string;
}

/** How a page leaves a row of a source `w`, each an expression. */
export interface LeftRow {
  /** When it was changed. */
  at: string;
  state: string;
  /** Default: one more than it was. */
  version?: string;
  /** Default: as it was. */
  fence?: string;
  /** Whether the row was in history. Default: it was not. */
  archived?: string;
  /** Whether what its run has left is remembered too. Default: it is not. */
  isWhole?: true;
}

/** What an action's SQL is: the common table expressions, and the relations that it answers. */
export interface ActSql {
  /** `name AS (…)`, in order. */
  ctes: readonly string[];
  /** Relations with all columns of a task as the page leaves it, with its state before as `was`. */
  changed: readonly string[];
  /** A relation `(id, owner, fence)` of executions that were asked to stop. */
  asked?: string;
  /** A relation `(id, outcome)` of those that were locked and left. */
  passed?: string;
  /** Whether the relations `changed` have a column `result_bytes`: what is remembered of results. */
  hasResults?: true;
}

/** The statement of one page: one for each operation, since its conditions are in its text. */
export function actStatement(
  name: string,
  request: ActRequest,
  sqlOf: (acting: Acting) => ActSql,
): Statement<null, ActedTask> {
  return writtenAnew({
    name,
    textOf: (schema, parameter) =>
      textOf(sqlOf, actingOf(schema, request, parameter), kindsOf(schema, request.plan, parameter)),
    read: readActed,
  });
}

/** The types that the filter lets in, as the conditions ask for them. */
export function kindsOf(
  schema: QuotedSchema,
  { namespace, filter }: { namespace: string; filter: JoinedConditions },
  parameter: Parameter,
): string {
  const ofType = typeCondition(filter, parameter);
  return `kinds AS MATERIALIZED (SELECT id FROM ${schema}.type WHERE namespace = ${parameter(namespace, "text")}${ofType})`;
}

/** Whether a row `t` fits filter and action. */
export function fitsOperation(
  schema: QuotedSchema,
  { filter, ...plan }: OperationPlan,
  { parameter, asOf }: { parameter: Parameter; asOf: EpochMs | null },
): string {
  const clock = (): string => `(SELECT ${now(parameter(asOf, "float8"))})`;
  const fits = conditionsOf(schema, filter, { parameter, row: "t", now: clock });
  return `${fits} AND ${actionCondition("t", plan, parameter)}`;
}

function actingOf(schema: QuotedSchema, request: ActRequest, parameter: Parameter): Acting {
  const { operationId, plan, ids, keepsResults, asOf } = request;
  const sent = { arrays: [parameter(ids, "uuid[]")], names: "id" };
  const fits = fitsOperation(schema, plan, { parameter, asOf });
  const operation = parameter(operationId, "uuid");
  const keepsResult = (row: string): string =>
    `(${parameter(keepsResults, "boolean")} AND octet_length(${row}.result::text) <= ${OPERATION_RESULT_BYTES})`;
  return {
    schema,
    plan,
    parameter,
    now: now(parameter(asOf, "float8")),
    operationId: operation,
    actor: parameter(`operation:${operationId}`, "text"),
    keptBytes: (row) => `CASE WHEN ${keepsResult(row)} THEN octet_length(${row}.result::text) ELSE 0 END`,
    locked: (table, states) => `
      SELECT t.* FROM ${arrayRows(sent)} CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.${table} t WHERE t.id = r.id OFFSET 0 FOR UPDATE OF t SKIP LOCKED) t
       WHERE ${states === undefined ? "" : `${stateById("t")} IN (${states.map((state) => STATE[state]).join(", ")}) AND `}${fits}`,
    remember: (source, left) => remember(schema, { operation, source, left, keepsResult }),
  };
}

/** What a page remembers of each row that it changes. */
const WAITING = [
  ...(["scheduled_at", "due_at", "start_deadline_at", "wait_until", "paused_at", "paused_ms"] as const),
  ...(["finished_at", "reason", "cancelled_by", "tags"] as const),
] as const satisfies readonly TaskColumn[];
/** What it remembers besides of one whose run it clears away. */
const OF_RUN = [
  ...(["owner", "claimed_at", "started_at", "cancel_requested_at", "attempt", "crash_count", "snooze_count"] as const),
  ...(["defer_count", "journal_count", "error_print", "notes", "last_error", "lateness_parts", "result"] as const),
] as const satisfies readonly TaskColumn[];
/** The columns of a task that are remembered: those of every row, and those of whole ones. */
export const REMEMBERED = { waiting: WAITING, ofRun: OF_RUN };

interface Remembering {
  /** The operation's id, in SQL. */
  operation: string;
  source: string;
  left: LeftRow;
  /** Whether the result of a row is remembered. */
  keepsResult: (row: string) => string;
}

function remember(schema: QuotedSchema, { operation, source, left, keepsResult }: Remembering): string {
  const { at, state, version = "w.version + 1", fence = "w.fence", archived = "false", isWhole = false } = left;
  const columns = [...WAITING, ...(isWhole ? OF_RUN : [])];
  const result = (): string => `CASE WHEN ${keepsResult("w")} THEN w.result END`;
  const isWithout = isWhole ? `w.result IS NOT NULL AND NOT ${keepsResult("w")}` : "false";
  return `
      INSERT INTO ${schema}.operation_task
             (operation_id, task_id, at, version, fence, state, was, was_archived, had_key, is_whole, without_result, ${columns.join(", ")})
      SELECT ${operation}, w.id, ${at}, ${version}, ${fence}, ${state}, w.state, ${archived}, w.key_live, ${isWhole}, ${isWithout},
             ${columns.map((column) => (column === "result" ? result() : `w.${column}`)).join(", ")}
        FROM ${source} w`;
}

function textOf(sqlOf: (acting: Acting) => ActSql, acting: Acting, kinds: string): string {
  const { ctes, changed, asked, passed, hasResults = false } = sqlOf(acting);
  const fields = `'CHANGED' AS outcome, NULL::text AS owner, NULL::float8 AS fence, t.was, t.state, ${wholeMs("t.finished_at")} AS finished_at, t.batch_id, ${hasResults ? "t.result_bytes" : "0"}::float8 AS result_bytes`;
  const parts = [
    ...changed.map((relation) => `SELECT ${HINT_FIELDS}, ${fields} FROM ${relation} t`),
    ...(asked === undefined ? [] : [otherPart(asked, "'ASKED'", "owner::text, fence")]),
    ...(passed === undefined ? [] : [otherPart(passed, "o.outcome", "NULL::text, NULL::float8")]),
  ];
  return `
    WITH ${[kinds, ...ctes].join(",\n    ")}
    ${parts.join("\n    UNION ALL ")}`;
}

/** Tasks that were not changed. */
function otherPart(relation: string, outcome: string, execution: string): string {
  return `SELECT o.id::text, NULL::text, ${outcome}, ${execution}, NULL::smallint, NULL::smallint, NULL::bigint, NULL::uuid, 0::float8 FROM ${relation} o`;
}

function readActed(row: RawRow): ActedTask {
  const outcome = row.outcome as ActedTask["outcome"];
  const id = row.id as string;
  const owner = row.owner as string | null;
  return {
    id,
    outcome,
    task: outcome === "CHANGED" ? readPageTask(row) : null,
    asked: owner === null ? null : { id, owner, fence: Number(row.fence) },
    resultBytes: Number(row.result_bytes),
  };
}

/** Reads a row with the fields of a hint, `was`, `state`, `finished_at` and `batch_id`. */
export function readPageTask(row: RawRow): PageTask {
  return {
    hint: readHint(row),
    from: stateOf(Number(row.was)),
    to: stateOf(Number(row.state)),
    finishedAt: row.finished_at === null ? null : readInstant(row.finished_at),
    batchId: row.batch_id as string | null,
  };
}
