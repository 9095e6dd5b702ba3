import type { QuotedSchema, Statement } from "../connection/session.js";
import type { Parameter } from "./task-filter-sql.js";

/** A statement whose text is made for its values. */
interface WrittenAnew<Row> extends Pick<Statement<null, Row>, "name" | "read"> {
  /** Values that the text names by itself, as `$1` and on. Default: none. */
  fixed?: readonly unknown[];
  textOf: (schema: QuotedSchema, parameter: Parameter) => string;
}

/**
 * The statement of a text that differs from use to use, so that each condition can use its index: it is sent without
 * being prepared, and planned anew. Its values are those that were added while its text was made.
 */
export function writtenAnew<Row>({ name, read, fixed = [], textOf }: WrittenAnew<Row>): Statement<null, Row> {
  const values = [...fixed];
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`;
  return {
    name,
    isPrepared: false,
    sql: (schema) => {
      values.length = fixed.length;
      return textOf(schema, parameter);
    },
    values: () => values,
    read,
  };
}
