import type { EpochMs } from "@tickwheel/core";
import { jsonArray, plainArray } from "./plain-array.js";

/** What one value of a column is sent as. */
type Sent = number | string | boolean | Buffer | null;

/** A column of rows that a statement is given: an array parameter. */
export interface SentColumn<Item> {
  /** The SQL type of one value. */
  readonly type: string;
  /** The value of one row. */
  readonly of: (item: Item) => Sent;
  /** The array of all rows' values. */
  readonly ofAll: (items: readonly Item[]) => unknown;
}

/** Columns by the names that they have in SQL. */
export type SentColumns<Item> = Readonly<Record<string, SentColumn<Item>>>;

/** A column whose values need no quotes, see `plainArray`. */
export function plain<Item>(type: string, of: (item: Item) => number | string | null): SentColumn<Item> {
  return { type, of, ofAll: (items) => plainArray(items, of) };
}

/** A column of texts that are JSON, see `jsonArray`. */
export function json<Item>(type: string, of: (item: Item) => string | null): SentColumn<Item> {
  return { type, of, ofAll: (items) => jsonArray(items, of) };
}

/** A column of any values: the driver quotes them. */
export function listed<Item>(type: string, of: (item: Item) => Sent): SentColumn<Item> {
  return { type, of, ofAll: (items) => items.map(of) };
}

/** The columns of a part of each item. */
export function ofEach<Item, Part>(part: (item: Item) => Part, columns: SentColumns<Part>): SentColumns<Item> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type, of, ofAll }]): [string, SentColumn<Item>] => [
      name,
      { type, of: (item) => of(part(item)), ofAll: (items) => ofAll(items.map(part)) },
    ]),
  );
}

/** A value, and the type that its parameter is cast to. */
interface Typed<Request> {
  readonly type: string;
  readonly of: (request: Request) => unknown;
}

/** A parameter with a type: `$1::uuid`. A function in its place is one without: `$1`. */
export function typed<Request>(type: string, of: (request: Request) => unknown): Typed<Request> {
  return { type, of };
}

interface Rows<Request> {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly arraysOf: (request: Request) => unknown[];
}

/** Rows: an array parameter for each of their columns. */
export function rows<Request, Item>(
  items: (request: Request) => readonly Item[],
  columns: SentColumns<Item>,
): Rows<Request> {
  const all = Object.values(columns);
  return {
    names: Object.keys(columns),
    types: all.map(({ type }) => type),
    arraysOf: (request) => {
      const sent = items(request);
      return all.map(({ ofAll }) => ofAll(sent));
    },
  };
}

/** Rows as they stand in SQL. */
export interface RowsSql {
  /** Their parameters: `["$2::uuid[]", "$3::text[]"]`. */
  readonly arrays: readonly string[];
  /** The names of their columns: `id, actor`. */
  readonly names: string;
}

type Entry<Request> = ((request: Request) => unknown) | Typed<Request> | Rows<Request>;
type SqlOf<Said> = Said extends { readonly arraysOf: unknown } ? RowsSql : string;

/**
 * The parameters of a statement, each said once: its place is where it is said, and its SQL and its value come from
 * there.
 *
 * @example
 *   const [p, values] = parameters<EndTasks>()({
 *     asOf, // p.asOf: "$1"
 *     limit: typed("integer", ({ limit }) => limit), // p.limit: "$2::integer"
 *     ends: rows(({ ends }) => ends, { id: plain("uuid", ({ id }) => id) }), // p.ends: { arrays: ["$3::uuid[]"], names: "id" }
 *   });
 *
 * @returns the parameters in SQL by their names, and the values of a request in the order of the parameters
 */
export function parameters<Request>() {
  return <Said extends Readonly<Record<string, Entry<Request>>>>(
    said: Said,
  ): [sql: { readonly [Name in keyof Said]: SqlOf<Said[Name]> }, values: (request: Request) => unknown[]] => {
    let place = 0;
    const next = (type?: string): string => `$${++place}${type === undefined ? "" : `::${type}`}`;
    const sql = Object.entries(said).map(([name, entry]) => [name, sqlOf(entry, next)]);
    const writers = Object.values(said).map((entry) => writerOf(entry));
    return [
      Object.fromEntries(sql) as { readonly [Name in keyof Said]: SqlOf<Said[Name]> },
      (request) => {
        const values: unknown[] = [];
        for (const write of writers) write(request, values);
        return values;
      },
    ];
  };
}

function sqlOf<Request>(entry: Entry<Request>, next: (type?: string) => string): string | RowsSql {
  if (typeof entry === "function") return next();
  if ("of" in entry) return next(entry.type);
  return { arrays: entry.types.map((type) => next(`${type}[]`)), names: entry.names.join(", ") };
}

/** Appends an entry's values. It is made once: a look at the entry would take longer than most values. */
function writerOf<Request>(entry: Entry<Request>): (request: Request, values: unknown[]) => void {
  if (typeof entry !== "function" && "arraysOf" in entry)
    return (request, values) => void values.push(...entry.arraysOf(request));
  const of = typeof entry === "function" ? entry : entry.of;
  return (request, values) => void values.push(of(request));
}

/** The parameter of `now`. */
export function asOf(request: { readonly asOf: EpochMs | null }): EpochMs | null {
  return request.asOf;
}

/** The parameter of `lockTimeout`; null: it waits as long as it takes. */
export function lockLimit({ lockTimeoutMs }: { readonly lockTimeoutMs: number | null }): string | null {
  return lockTimeoutMs === null ? null : String(lockTimeoutMs);
}
