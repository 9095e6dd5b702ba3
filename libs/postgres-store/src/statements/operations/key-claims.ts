import type { QuotedSchema } from "../../connection/session.js";

/**
 * Whether a task of a page may come back with its key: nobody has it, and no newer one of the page wants it. A task
 * that wants none always may. A window function: it stands in a select list over all that want to come back.
 *
 * @param wants whether the row wants its key (an expression)
 * @param among rows that differ in this expression do not stand against each other; default: all do
 */
export function mayHaveKey(
  schema: QuotedSchema,
  row: string,
  { wants, among = "true" }: { wants: string; among?: string },
): string {
  return `(NOT ${wants} OR (
             row_number() OVER (PARTITION BY ${row}.slot, ${row}.type_id, ${row}.key, ${wants}, ${among} ORDER BY ${row}.id DESC) = 1
             AND NOT EXISTS (SELECT FROM ${schema}.task k WHERE k.slot = ${row}.slot AND k.type_id = ${row}.type_id AND k.key = ${row}.key AND k.key_live)))`;
}
