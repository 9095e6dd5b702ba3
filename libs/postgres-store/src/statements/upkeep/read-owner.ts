import type { Statement } from "../../connection/session.js";

/** Names, quoted for SQL. */
export interface OwnerNames {
  owner: string;
  role: string;
  schema: string;
}

/** The role that owns the tables, and the role that we work under. */
export const readOwner: Statement<null, OwnerNames> = {
  name: "read_owner",
  sql: (schema) => `
    SELECT quote_ident(pg_get_userbyid(relowner)) AS owner, quote_ident(current_user) AS role, '${schema}' AS schema
      FROM pg_class WHERE oid = '${schema}.history'::regclass`,
  values: () => [],
  read: (row) => row as unknown as OwnerNames,
};
