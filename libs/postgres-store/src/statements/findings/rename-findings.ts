import { type Cause, EARLIER_CODE } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Gives open findings the code that their cause has become. Nodes that do so at once wait for each other's row, and
 * then find it renamed.
 */
export const renameFindings: Statement<readonly Cause[], never> = {
  name: "rename_findings",
  sql: (schema) => `
    UPDATE ${schema}.finding f SET code = u.code
      FROM unnest($1::text[], $2::text[], $3::text[]) AS u (code, earlier, subject)
     WHERE f.until IS NULL AND f.code = u.earlier AND f.subject = u.subject
       AND NOT EXISTS (SELECT FROM ${schema}.finding o WHERE o.until IS NULL AND o.code = u.code AND o.subject = u.subject)`,
  values: (causes) => [
    causes.map(({ code }) => code),
    causes.map(({ code }) => EARLIER_CODE[code]),
    causes.map(({ subject }) => subject),
  ],
  read: (row) => row as never,
};
