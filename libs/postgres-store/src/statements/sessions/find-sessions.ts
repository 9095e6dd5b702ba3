import type { EpochMs, PageSession } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";
import { API_KEY_FIELDS, readApiKey, works } from "../../sql/api-key-rows.js";

/**
 * The live sessions with these hashes whose keys work. Plan: a probe of a unique index for each, and for its key.
 */
export const findSessions: Statement<
  { hashes: readonly string[]; asOf: EpochMs | null },
  [hash: string, session: PageSession]
> = {
  name: "find_sessions",
  sql: (schema) => `
    SELECT s.hash, s.id::text AS session_id, ${epochMs("s.ends_at")} AS ends_at, ${API_KEY_FIELDS}
      FROM ${schema}.session s JOIN ${schema}.api_key k ON k.id = s.key_id
     WHERE s.hash = ANY($2::text[]) AND s.over_at > (SELECT ${now("$1")})
       AND ${works(`(SELECT ${now("$1")})`)}`,
  values: ({ hashes, asOf }) => [asOf, hashes],
  read: (row) => [
    row.hash as string,
    { id: row.session_id as string, key: readApiKey(row), endsAt: readInstant(row.ends_at) },
  ],
};
