import type { ApiKey, EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { API_KEY_FIELDS, readApiKey, works } from "../../sql/api-key-rows.js";
import { now } from "../../sql/sql-fragments.js";

/** The keys with these hashes that work. Plan: one probe of the unique index per hash. */
export const findApiKeys: Statement<{ hashes: readonly string[]; asOf: EpochMs | null }, [hash: string, key: ApiKey]> =
  {
    name: "find_api_keys",
    sql: (schema) => `
    SELECT k.hash, ${API_KEY_FIELDS} FROM ${schema}.api_key k
     WHERE k.hash = ANY($2::text[]) AND ${works(`(SELECT ${now("$1")})`)}`,
    values: ({ hashes, asOf }) => [asOf, hashes],
    read: (row) => [row.hash as string, readApiKey(row)],
  };
