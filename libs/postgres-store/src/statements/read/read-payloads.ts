import type { JsonText } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { readPayload } from "../../sql/task-rows.js";

/** Reads payloads that a claim's reply left out, after the claim's commit. Plan: by primary key. */
export const readPayloads: Statement<{ ids: readonly string[] }, { id: string; payload: JsonText }> = {
  name: "read_payloads",
  sql: (schema) => `
    SELECT id::text AS id, payload::text AS payload FROM ${schema}.task WHERE id = ANY ($1::uuid[])
    UNION ALL SELECT id::text, payload::text FROM ${schema}.history WHERE id = ANY ($1::uuid[])`,
  values: ({ ids }) => [ids],
  read: (row) => ({ id: row.id as string, payload: readPayload(row.payload) }),
};
