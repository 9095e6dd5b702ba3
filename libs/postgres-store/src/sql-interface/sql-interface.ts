import type { QuotedSchema } from "../connection/session.js";
import { CANCEL_SIGNATURES, cancelFunctions } from "./cancel-functions.js";
import { inputHelpers } from "./input-faults.js";
import { REPORT_VIEWS, reportViews } from "./report-views.js";
import { rowTriggers, TRIGGER_SIGNATURES } from "./row-triggers.js";
import { SCHEDULE_SIGNATURE, scheduleFunction } from "./schedule-function.js";
import { sqlRoles } from "./sql-roles.js";
import { SAFE_PATH } from "./safe-path.js";

/** What a role that is allowed may execute. */
const FUNCTIONS = [SCHEDULE_SIGNATURE, ...CANCEL_SIGNATURES, ...TRIGGER_SIGNATURES, "report_namespaces()"];

/**
 * What applications call in SQL, in transactions of their own: functions and views beside the tables. All of it belongs
 * to the owner of the schema, and nobody else may use it until `allow_sql` says so.
 */
export function sqlInterface(schema: QuotedSchema): string {
  return [
    sqlRoles(schema),
    inputHelpers(schema),
    scheduleFunction(schema),
    cancelFunctions(schema),
    rowTriggers(schema),
    reportViews(schema),
    allowing(schema),
    `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC;`,
  ].join("\n");
}

/** `allow_sql` and `forbid_sql`: only the owner of the schema, or who may act as it, can call them with effect. */
function allowing(schema: QuotedSchema): string {
  const rights = [
    `USAGE ON SCHEMA ${schema}`,
    `EXECUTE ON FUNCTION ${FUNCTIONS.map((signature) => `${schema}.${signature}`).join(", ")}`,
    `SELECT ON ${REPORT_VIEWS.map((view) => `${schema}.${view}`).join(", ")}`,
  ];
  const each = (verb: "GRANT" | "REVOKE", preposition: "TO" | "FROM"): string =>
    rights.map((right) => `  EXECUTE format('${verb} ${right} ${preposition} %I', role);`).join("\n");
  return `
CREATE FUNCTION ${schema}.allow_sql(role text, namespace text DEFAULT 'default', payloads boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql ${SAFE_PATH} AS $body$
BEGIN
  INSERT INTO ${schema}.sql_role AS r (role, namespace, payloads) VALUES (allow_sql.role, allow_sql.namespace, allow_sql.payloads)
      ON CONFLICT ON CONSTRAINT sql_role_pkey DO UPDATE SET payloads = excluded.payloads;
${each("GRANT", "TO")}
END;
$body$;

CREATE FUNCTION ${schema}.forbid_sql(role text, namespace text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql ${SAFE_PATH} AS $body$
BEGIN
  DELETE FROM ${schema}.sql_role r WHERE r.role = forbid_sql.role AND (forbid_sql.namespace IS NULL OR r.namespace = forbid_sql.namespace);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role "%" was not allowed', role USING ERRCODE = 'undefined_object';
  END IF;
  IF NOT EXISTS (SELECT FROM ${schema}.sql_role r WHERE r.role = forbid_sql.role) THEN
${each("REVOKE", "FROM")}
  END IF;
END;
$body$;`;
}
