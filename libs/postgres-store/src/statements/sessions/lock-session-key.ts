import type { ApiKey, EpochMs } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";
import { API_KEY_FIELDS, readApiKey, works } from "../../sql/api-key-rows.js";

/**
 * Answers the key with this hash if it works, with the instant of the look, and lets one transaction at a time change
 * its sessions. It is a separate statement: the next one takes a new snapshot, which shows what the transaction waited
 * for has committed.
 */
export const lockSessionKey: Statement<{ hash: string; asOf: EpochMs | null }, { key: ApiKey; at: EpochMs }> = {
  name: "lock_session_key",
  sql: (schema) => `
    SELECT ${API_KEY_FIELDS}, ${epochMs(`(SELECT ${now("$1")})`)} AS at FROM ${schema}.api_key k
     WHERE k.hash = $2 AND ${works(`(SELECT ${now("$1")})`)}
       FOR NO KEY UPDATE`,
  values: ({ hash, asOf }) => [asOf, hash],
  read: (row) => ({ key: readApiKey(row), at: readInstant(row.at) }),
};
