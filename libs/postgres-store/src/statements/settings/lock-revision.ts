import type { Revision } from "@tickwheel/core";
import type { RawRow, Statement } from "../../connection/session.js";

/**
 * Begins a change: from here to its commit no other change is decided or written, so each sees all before it
 * [one-revision, lock-order].
 */
export const lockRevision: Statement<null, Revision> = {
  name: "lock_revision",
  sql: (schema) => `
    SELECT timeline, number::float8 AS number FROM ${schema}.revision WHERE name = 'settings' FOR NO KEY UPDATE`,
  values: () => [],
  read: readRevision,
};

/**
 * Raises the revision, whose row the transaction holds. On a later timeline of the server the numbers begin anew. A
 * server that was made anew from a dump has an earlier one: there the pair goes on rising.
 */
export const raiseRevision: Statement<{ timeline: number }, Revision> = {
  name: "raise_revision",
  sql: (schema) => `
    UPDATE ${schema}.revision
       SET number = CASE WHEN timeline >= $1::integer THEN number + 1 ELSE 1 END, timeline = greatest(timeline, $1::integer)
     WHERE name = 'settings'
    RETURNING timeline, number::float8 AS number`,
  values: ({ timeline }) => [timeline],
  read: readRevision,
};

function readRevision(row: RawRow): Revision {
  return { timeline: Number(row.timeline), number: Number(row.number) };
}
