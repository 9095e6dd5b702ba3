import type { Statement } from "../../connection/session.js";

/** Names as they are written in SQL. */
export interface OwnerNames {
  owner: string;
  role: string;
  schema: string;
}

/** Whose the tables are, and as whom we work on them. */
export const readOwner: Statement<null, OwnerNames> = {
  name: "read_owner",
  sql: (schema) => `
    SELECT quote_ident(pg_get_userbyid(relowner)) AS owner, quote_ident(current_user) AS role, '${schema}' AS schema
      FROM pg_class WHERE oid = '${schema}.history'::regclass`,
  values: () => [],
  read: (row) => row as unknown as OwnerNames,
};
