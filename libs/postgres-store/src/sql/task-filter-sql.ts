import {
  type EpochMs,
  type FilterState,
  isBeginning,
  type JoinedConditions,
  listOf,
  oneTypeOf,
  possibleStates,
  printOfFingerprint,
  statesOfWord,
  TASK_STATES,
  type TaskConditions,
  type TaskFilter,
  type TaskState,
  TERMINAL_STATES,
} from "@tickwheel/core";
import type { QuotedSchema } from "../connection/session.js";
import { instant, nodeLabels } from "./sql-fragments.js";
import { STATE } from "./state-codes.js";

/** Adds a value to the statement's, and answers the expression that stands for it. */
export type Parameter = (value: unknown, type: string) => string;

/** The rows that a filter's conditions are about. */
export interface FilteredRows {
  parameter: Parameter;
  /** Their alias. Default: columns are named alone, and the rows are `looked`. */
  row?: string;
  /** The expression of the database's now; it is asked for only where it is needed. */
  now: () => string;
}

/**
 * The columns that the conditions of this filter compare. Others are not read: the text of an error can be long, and a
 * list keeps what it has looked at until it ends.
 */
export function filterColumns({ also, ...filter }: JoinedConditions): string {
  const columns = [...columnsIn(filter), ...(also === undefined ? [] : columnsIn(also))];
  return [...new Set(columns)].join(", ");
}

function columnsIn(filter: TaskConditions): string[] {
  const { not = {} } = filter;
  const isGiven = (...conditions: unknown[]): boolean => conditions.some((condition) => condition !== undefined);
  const isFailing = judgedStates(filter).includes("failing");
  const columns = ["id", "type_id", "state", "key", "key_live", "tags"];
  columns.push(...[...rangesOf(filter), ...numbersOf(filter)].map(({ column }) => column));
  if (judgedStates(filter).includes("overdue")) columns.push("due_at");
  if (isFailing) columns.push("attempt");
  if (isFailing || isGiven(filter.error, not.error)) columns.push("last_error");
  if (isGiven(filter.fingerprint)) columns.push("error_print");
  if (isGiven(filter.node, not.node)) columns.push("owner", "journal_count");
  if (isGiven(filter.batch)) columns.push("batch_id");
  if (isGiven(filter.reason, not.reason)) columns.push("reason");
  if (isGiven(filter.createdBy, not.createdBy)) columns.push("created_by");
  return columns;
}

/**
 * The conditions of a filter, over rows that have the columns of {@link filterColumns}. That of the type is the
 * relation `kinds`, see {@link typeCondition}. Every value is a parameter, and none is a pattern.
 */
export function conditionsOf(schema: QuotedSchema, { also, ...filter }: JoinedConditions, rows: FilteredRows): string {
  return [
    `${columnsOf(rows)("type_id")} IN (SELECT id FROM kinds)`,
    ...conditionsIn(schema, filter, rows),
    ...(also === undefined ? [] : conditionsIn(schema, also, rows)),
  ].join(" AND ");
}

function conditionsIn(schema: QuotedSchema, filter: TaskConditions, rows: FilteredRows): string[] {
  const { parameter } = rows;
  const of = columnsOf(rows);
  const conditions: string[] = [];
  const add = (condition: string): void => void conditions.push(condition);
  const state = stateCondition(filter, of, rows.now);
  if (state !== null) add(state);
  if (filter.key !== undefined) add(`${of("key")} = ${parameter(filter.key, "text")}`);
  if (filter.keyPrefix !== undefined) add(`starts_with(${of("key")}, ${parameter(filter.keyPrefix, "text")})`);
  if (filter.live !== undefined) add(liveCondition(filter, of));
  const tags = listOf(filter.tag);
  if (tags.length === 1) add(`${parameter(tags[0], "text")} = ANY (${of("tags")})`);
  if (tags.length > 1) add(`${of("tags")} @> ${parameter(tags, "text[]")}`);
  if (filter.id !== undefined) add(`${of("id")} = ANY (${parameter(listOf(filter.id), "uuid[]")})`);
  if (filter.fingerprint !== undefined) add(`${of("error_print")} = ANY (${prints(filter, parameter)})`);
  if (filter.batch !== undefined) add(`${of("batch_id")} = ${parameter(filter.batch, "uuid")}`);
  if (filter.schedule !== undefined) add(isRunOf(schema, filter.schedule, rows));
  if (filter.operation !== undefined) add(isOfOperation(schema, filter, rows));
  for (const { column, from, to } of rangesOf(filter)) {
    if (from !== undefined) add(`${of(column)} >= ${instant(parameter(from, "float8"))}`);
    if (to !== undefined) add(`${of(column)} < ${instant(parameter(to, "float8"))}`);
  }
  for (const { column, from, to } of numbersOf(filter)) {
    if (from !== undefined) add(`${of(column)} >= ${parameter(from, "int4")}`);
    if (to !== undefined) add(`${of(column)} <= ${parameter(to, "int4")}`);
  }
  conditions.push(...valueConditions(schema, filter, rows));
  if (filter.not?.tag !== undefined) add(isNot(`${of("tags")} && ${parameter(listOf(filter.not.tag), "text[]")}`));
  conditions.push(...valueConditions(schema, filter.not ?? {}, rows).map(isNot));
  return conditions;
}

/** Whether a row is a run of the schedule that is kept. Plan: a probe of the index of runs by task. */
function isRunOf(schema: QuotedSchema, name: string, { parameter, row = "looked" }: FilteredRows): string {
  return `EXISTS (SELECT FROM ${schema}.schedule_run r JOIN ${schema}.schedule s ON s.id = r.schedule_id
                   WHERE r.task_id = ${row}.id AND s.name = ${parameter(name, "text")})`;
}

/** Whether the operation remembers a row, and what became of it. Plan: a probe of a primary key. */
function isOfOperation(
  schema: QuotedSchema,
  filter: TaskConditions,
  { parameter, row = "looked" }: FilteredRows,
): string {
  const became =
    filter.outcome === undefined
      ? ""
      : ` AND coalesce(o.undone, 'CHANGED') = ANY (${parameter(listOf(filter.outcome), "text[]")})`;
  return `EXISTS (SELECT FROM ${schema}.operation_task o
                   WHERE o.operation_id = ${parameter(filter.operation, "uuid")} AND o.task_id = ${row}.id${became})`;
}

/** The prints that a filter asks for, as an array. */
export function prints({ fingerprint }: TaskConditions, parameter: Parameter): string {
  return parameter(listOf(fingerprint).map(printOfFingerprint), "bigint[]");
}

/** A condition that must not hold: it does not hold of a row without the value. */
function isNot(condition: string): string {
  return `(${condition}) IS NOT TRUE`;
}

/** The conditions that may be negated as they are. */
function valueConditions(
  schema: QuotedSchema,
  { error, node, reason, createdBy }: Pick<TaskConditions, "error" | "node" | "reason" | "createdBy">,
  rows: FilteredRows,
): string[] {
  const { parameter } = rows;
  const of = columnsOf(rows);
  const isOneOf = (column: string, values: readonly string[]): string =>
    `${of(column)} = ANY (${parameter(values, "text[]")})`;
  return [
    ...(error === undefined ? [] : [`position(lower(${parameter(error, "text")}) IN lower(${of("last_error")})) > 0`]),
    ...(node === undefined ? [] : [nodeCondition(schema, parameter(node, "text"), rows)]),
    ...(reason === undefined ? [] : [isOneOf("reason", listOf(reason))]),
    ...(createdBy === undefined ? [] : [isOneOf("created_by", listOf(createdBy))]),
  ];
}

/** What leaves out types of the namespace, behind another condition about a row of `type`; empty: nothing does. */
export function typeCondition({ also, ...filter }: JoinedConditions, parameter: Parameter): string {
  return [filter, ...(also === undefined ? [] : [also])].map((one) => typeConditionIn(one, parameter)).join("");
}

function typeConditionIn(filter: TaskConditions, parameter: Parameter): string {
  const type = oneTypeOf(filter);
  const meant = type === null ? isOneOfTypes(filter.type, parameter) : [`type = ${parameter(type, "text")}`];
  const conditions = [...meant, ...isOneOfTypes(filter.not?.type, parameter).map((one) => `NOT ${one}`)];
  return conditions.map((condition) => ` AND ${condition}`).join("");
}

function isOneOfTypes(type: TaskConditions["type"], parameter: Parameter): string[] {
  if (type === undefined) return [];
  const names = listOf(type);
  const begun = names.filter(isBeginning);
  const parts = [
    `type = ANY (${parameter(
      names.filter((name) => !isBeginning(name)),
      "text[]",
    )})`,
    ...begun.map((name) => `starts_with(type, ${parameter(name.slice(0, -1), "text")})`),
  ];
  return [`(${parts.join(" OR ")})`];
}

/** Whether the filter names each type that it lets in. */
export function namesItsTypes({ type }: Pick<TaskConditions, "type">): boolean {
  return type !== undefined && !listOf(type).some(isBeginning);
}

/** Whether the filter leaves out anything besides other namespaces. */
export function hasConditions(filter: TaskFilter): boolean {
  const { namespace: _namespace, caller: _caller, tab: _tab, ...asked } = filter;
  const { limit: _limit, after: _after, maxBytes: _maxBytes, ...conditions } = asked;
  return Object.values(conditions).some((condition) => condition !== undefined);
}

/** The instants that the filter bounds. */
function rangesOf(filter: TaskConditions): { column: string; from?: EpochMs; to?: EpochMs }[] {
  return [
    { column: "scheduled_at", from: filter.scheduledFrom, to: filter.scheduledTo },
    { column: "due_at", from: filter.dueFrom, to: filter.dueTo },
    { column: "created_at", from: filter.createdFrom, to: filter.createdTo },
    { column: "started_at", from: filter.startedFrom, to: filter.startedTo },
    { column: "finished_at", from: filter.finishedFrom, to: filter.finishedTo },
  ].filter(({ from, to }) => from !== undefined || to !== undefined);
}

/** The numbers that the filter bounds, both ends included. */
function numbersOf(filter: TaskConditions): { column: string; from?: number; to?: number }[] {
  return [
    { column: "priority", from: filter.priorityFrom, to: filter.priorityTo },
    { column: "attempt", from: filter.attemptFrom, to: filter.attemptTo },
  ].filter(({ from, to }) => from !== undefined || to !== undefined);
}

/**
 * Whether a node with this label runs the task or ran it last. A task that waits has no owner any more, so its journal
 * is asked: one probe of each kept day of the journal, only for tasks that have stored entries.
 */
function nodeCondition(schema: QuotedSchema, label: string, rows: FilteredRows): string {
  const of = columnsOf(rows);
  const owners = `SELECT n.boot_id FROM ${nodeLabels(schema)} n WHERE n.label = ${label}`;
  const last = `SELECT j.node FROM ${schema}.journal j WHERE j.task_id = ${rows.row ?? "looked"}.id AND j.node IS NOT NULL ORDER BY j.seq DESC LIMIT 1`;
  return `CASE WHEN ${of("owner")} IS NOT NULL THEN ${of("owner")} IN (${owners}) ELSE ${of("journal_count")} > 0 AND (${last}) = ${label} END`;
}

type ColumnOf = (column: string) => string;

function columnsOf({ row }: FilteredRows): ColumnOf {
  return (column) => (row === undefined ? column : `${row}.${column}`);
}

/** A keyed task is live while it holds its key; an unkeyed one until it ends. */
function liveCondition({ key, live }: TaskConditions, of: ColumnOf): string {
  if (key !== undefined) return live ? of("key_live") : `NOT ${of("key_live")}`;
  return `${live ? "" : "NOT "}CASE WHEN ${of("key")} IS NULL THEN ${of("state")} < ${STATE.succeeded} ELSE ${of("key_live")} END`;
}

/** Null: every state fits. */
function stateCondition(filter: TaskConditions, of: ColumnOf, now: () => string): string | null {
  const judged = judgedStates(filter);
  const states = judged.length === 0 ? possibleStates(filter) : wholeStates(filter);
  if (states.length === TASK_STATES.length) return null;
  const whole = `${of("state")} IN (${states.map((state) => STATE[state]).join(", ") || "NULL"})`;
  if (judged.length === 0) return whole;
  const isScheduled = `${of("state")} = ${STATE.scheduled}`;
  const judgements = {
    overdue: () => `${isScheduled} AND ${of("due_at")} <= ${now()}`,
    failing: () => `${isScheduled} AND (${of("attempt")} > 0 OR ${of("last_error")} IS NOT NULL)`,
  };
  return `(${[whole, ...judged.map((word) => judgements[word]())].join(" OR ")})`;
}

const JUDGED = ["overdue", "failing"] as const;

/** The words that let in some scheduled tasks only. */
function judgedStates({ states = [] }: TaskConditions): (typeof JUDGED)[number][] {
  return states.includes("scheduled") || states.includes("waiting")
    ? []
    : JUDGED.filter((word) => states.includes(word));
}

/** The states of which all tasks fit. */
function wholeStates({ states = TASK_STATES, live }: TaskConditions): readonly TaskState[] {
  return possibleStates({ live, states: states.filter((state) => !isJudged(state)) });
}

function isJudged(state: FilterState): boolean {
  return (JUDGED as readonly FilterState[]).includes(state);
}

/**
 * The same words for states, as far as they mean some of these. None: no task in one of these fits.
 *
 * @param within the states of a tab
 */
export function statesWithin(
  { states = TASK_STATES, live }: Pick<TaskConditions, "states" | "live">,
  within: readonly TaskState[],
): readonly FilterState[] {
  const fitting = within.filter((state) => !(live === true && TERMINAL_STATES.includes(state)));
  return states.flatMap((word): readonly FilterState[] => {
    const meant = statesOfWord(word).filter((state) => fitting.includes(state));
    return isJudged(word) && meant.length > 0 ? [word] : meant;
  });
}
