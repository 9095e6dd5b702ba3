import type { AnnouncedPolicy, BootId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Forgets what a node announced. */
export const withdrawPolicies: Statement<{ bootId: BootId }, never> = {
  name: "withdraw_policies",
  sql: (schema) => `DELETE FROM ${schema}.type_policy WHERE boot_id = $1::bigint`,
  values: ({ bootId }) => [bootId],
  read: (row) => row as never,
};

/** Notes what a node announces; a type that has no policy gets it. Policies come sorted by type. */
export const announcePolicies: Statement<{ bootId: BootId; policies: readonly AnnouncedPolicy[] }, never> = {
  name: "announce_policies",
  sql: (schema) => `
    WITH told AS MATERIALIZED (SELECT * FROM unnest($2::integer[], $3::text[]) AS u (type_id, policy)),
    noted AS (
      INSERT INTO ${schema}.type_policy (boot_id, type_id, policy) SELECT $1::bigint, type_id, policy::json FROM told
          ON CONFLICT (boot_id, type_id) DO UPDATE SET policy = excluded.policy
    )
    UPDATE ${schema}.type y SET policy = told.policy::json FROM told WHERE y.id = told.type_id AND y.policy IS NULL`,
  values: ({ bootId, policies }) => [
    bootId,
    policies.map(({ typeId }) => typeId),
    policies.map(({ policy }) => JSON.stringify(policy)),
  ],
  read: (row) => row as never,
};
