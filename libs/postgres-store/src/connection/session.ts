/** The name of the schema that holds everything, quoted for SQL. */
export type QuotedSchema = string;

/** One SQL statement: its text, its parameters and its rows. */
export interface Statement<Parameters, Row> {
  /** Name of the prepared statement on our own connections; unique among all statements. */
  readonly name: string;
  /** False: the text differs from use to use, so it is sent without being prepared. Default true. */
  readonly isPrepared?: boolean;
  sql(schema: QuotedSchema): string;
  values(parameters: Parameters): unknown[];
  read(row: RawRow): Row;
}

/**
 * A row as a driver gives it. Instants are epoch ms as float8; 64-bit integers and JSON are text. So the driver's type
 * parsers do not matter.
 */
export type RawRow = Record<string, unknown>;

/**
 * Runs statements: the pool (each statement in its own transaction), an open transaction, or a caller's transaction.
 */
export interface Session {
  run<Parameters, Row>(statement: Statement<Parameters, Row>, parameters: Parameters): Promise<Row[]>;
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Quotes a schema's name. Only plain lower-case names are accepted, so nothing needs to be escaped anywhere. */
export function quoteSchema(schema: string): QuotedSchema {
  if (!SCHEMA_NAME.test(schema)) throw new RangeError(`"${schema}" is no plain lower-case schema name`);
  return `"${schema}"`;
}
