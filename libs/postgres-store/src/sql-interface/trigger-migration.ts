import { TickwheelError, type Fault, parseDurationMs } from "@tickwheel/core";
import { quoteSchema } from "../connection/session.js";

/** A task that is bound to the rows of a table. */
export interface TaskTrigger {
  /**
   * The table as SQL names it, with its schema where the search path does not lead there: `orders`, `shop."Orders"`.
   */
  table: string;
  /**
   * When a row no longer needs its task: a condition on its columns, as behind `WHERE`. The task is cancelled by the
   * write after which it holds and before which it did not, and by the row's deletion.
   */
  when: string;
  /** The task's type. */
  type: string;
  /** The column whose value, as text, is the task's key. */
  key: string;
  /**
   * Makes the task with the row, so long before it is due; its payload is an object of the key's column. Default: the
   * application makes it.
   */
  delay?: string | number | undefined;
  /** Default: the only one of the table's owner. */
  namespace?: string | undefined;
  /** Tickwheel's. Default `tickwheel`. */
  schema?: string | undefined;
}

/** The statements of a migration, and those that take it back. */
export interface TriggerMigration {
  readonly up: string;
  readonly down: string;
}

/** A name, or one within another, each plain or quoted. */
const NAME = `(?:[A-Za-z_][A-Za-z0-9_$]*|"(?:[^"\\0]|"")+")`;
const TABLE = new RegExp(`^(?:${NAME}\\.)?${NAME}$`);
const COLUMN = new RegExp(`^${NAME}$`);
/** Postgres cuts longer names, and two of them may then be one. */
const MAX_NAME_LENGTH = 63;
const TYPE = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Writes a migration of an application: triggers on one of its tables that cancel a row's task in the transaction in
 * which the row no longer needs it, no matter what writes the row. The table's owner needs a namespace (`allow_sql`).
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 * @example
 *   taskTrigger({ table: "orders", when: "status <> 'unpaid'", type: "order.cancel", key: "id" }).up;
 */
export function taskTrigger(trigger: TaskTrigger): TriggerMigration {
  const faults = faultsOf(trigger);
  if (faults.length > 0) {
    const message = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
    throw new TickwheelError("VALIDATION_FAILED", message, { faults });
  }
  const { table, type } = trigger;
  const names = namesOf(trigger);
  return {
    up: [`-- The task "${type}" goes with the rows of ${table}.`, ...conditionOf(trigger), ...triggersOf(trigger)].join(
      "\n",
    ),
    down: [
      ...[names.made, names.over, names.gone].map((name) => `DROP TRIGGER IF EXISTS ${name} ON ${table};`),
      `DROP FUNCTION IF EXISTS ${names.condition}(${table});`,
    ].join("\n"),
  };
}

function faultsOf({ table, when, type, key, delay, schema }: TaskTrigger): Fault[] {
  const faults: Fault[] = [];
  const check = (path: string, isGood: boolean, message: string): void => {
    if (!isGood) faults.push({ path, message });
  };
  check("table", TABLE.test(table), 'must be the name of a table, such as orders or shop."Orders"');
  check(
    "when",
    when.trim() !== "" && !when.includes(";"),
    "must be a condition such as status <> 'unpaid', without a semicolon",
  );
  check("type", TYPE.test(type), "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -");
  check("key", COLUMN.test(key), "must be the name of a column");
  check("delay", delay === undefined || parseDurationMs(delay) !== null, 'must be a duration such as "15m"');
  check("schema", schema === undefined || /^[a-z_][a-z0-9_]{0,62}$/.test(schema), "must be a plain lower-case name");
  return faults;
}

/** Postgres finds the function of a condition by the table's row type, so one name serves tables of one name. */
function conditionOf(trigger: TaskTrigger): string[] {
  const { table, when } = trigger;
  return [
    `CREATE FUNCTION ${namesOf(trigger).condition}(${table}) RETURNS boolean LANGUAGE sql STABLE BEGIN ATOMIC`,
    `  SELECT (${when}) IS TRUE FROM (SELECT ($1).*) AS ${lastNameOf(table)};`,
    "END;",
  ];
}

function triggersOf(trigger: TaskTrigger): string[] {
  const { table, type, key, delay, namespace = "", schema = "tickwheel" } = trigger;
  const { condition, made, over, gone } = namesOf(trigger);
  const column = key.startsWith('"') ? key.slice(1, -1).replaceAll('""', '"') : key.toLowerCase();
  const values = [type, column, namespace];
  const calling = (name: string, more: string[] = []): string =>
    `  EXECUTE FUNCTION ${quoteSchema(schema).slice(1, -1)}.${name}(${[...values, ...more].map(literal).join(", ")});`;
  const making =
    delay === undefined
      ? []
      : [
          `CREATE TRIGGER ${made} AFTER INSERT ON ${table} FOR EACH ROW WHEN (NOT ${condition}(NEW))`,
          calling("schedule_with_row", [`${parseDurationMs(delay)} milliseconds`]),
        ];
  return [
    ...making,
    `CREATE TRIGGER ${over} AFTER UPDATE ON ${table} FOR EACH ROW WHEN (${condition}(NEW) AND NOT ${condition}(OLD))`,
    calling("cancel_with_row"),
    `CREATE TRIGGER ${gone} AFTER DELETE ON ${table} FOR EACH ROW WHEN (NOT ${condition}(OLD))`,
    calling("cancel_with_row"),
  ];
}

/** The condition's function lies in the schema of its table. */
function namesOf({ table, type }: TaskTrigger): Record<"condition" | "made" | "over" | "gone", string> {
  const named = (what: string): string => {
    const begin = "tickwheel_";
    const end = `_${what}`;
    const room = MAX_NAME_LENGTH - begin.length - end.length;
    return `"${begin}${type.replaceAll(/[^A-Za-z0-9]/g, "_").slice(0, room)}${end}"`;
  };
  const schema = new RegExp(`^(${NAME}\\.)${NAME}$`).exec(table)?.[1] ?? "";
  return { condition: `${schema}${named("is_over")}`, made: named("made"), over: named("over"), gone: named("gone") };
}

function lastNameOf(table: string): string {
  return new RegExp(`${NAME}$`).exec(table)![0];
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
