import type { QuotedSchema } from "../connection/session.js";
import { STATE } from "../sql/state-codes.js";
import { SAFE_PATH } from "./safe-path.js";

/** The functions that triggers call, as a grant names them. */
export const TRIGGER_SIGNATURES = ["schedule_with_row()", "cancel_with_row()"];

/**
 * Tasks that are bound to rows of an application's table: a trigger makes the task with the row, and cancels it in the
 * transaction in which the row no longer needs it, no matter what writes the row. Arguments: the type, the column with
 * the key, the namespace (empty: the only one of the table's owner), and of the first one the delay.
 *
 * It is the table's owner who needs a namespace, not who writes the row: that one is only noted as the actor.
 *
 * A handler that works within its task's transaction holds the task's row, and waits for the application's row that
 * the writer has locked. So the writer waits for a task's row only while it is not known to run. A task that runs and
 * whose row is locked is left to its handler, which sees the application's row as the writer leaves it.
 *
 * The key's column must be of a type of Postgres' own: the cast of another type to text may be a function of the
 * table's owner, and would run here as the owner of our schema.
 */
export function rowTriggers(schema: QuotedSchema): string {
  const header = `LANGUAGE plpgsql SECURITY DEFINER ${SAFE_PATH}`;
  return `
CREATE FUNCTION ${schema}.namespace_of_table(relation oid, wanted text) RETURNS text
LANGUAGE sql STABLE ${SAFE_PATH}
RETURN ${schema}.sql_namespace((SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = relation), nullif(wanted, ''));

${requirement(schema)}

CREATE FUNCTION ${schema}.schedule_with_row() RETURNS trigger ${header} AS $body$
${keyOf(schema, "NEW")}
  IF row_key IS NOT NULL THEN
    PERFORM ${schema}.schedule_in(space, type => TG_ARGV[0], key => row_key, delay => TG_ARGV[3]::interval, on_conflict => 'return',
                                  payload => json_build_object(TG_ARGV[1], row_key));
  END IF;
  RETURN NULL;
END;
$body$;

CREATE FUNCTION ${schema}.cancel_with_row() RETURNS trigger ${header} SET lock_timeout = '200ms' AS $body$
${keyOf(schema, "OLD")}
  WHILE row_key IS NOT NULL LOOP
    BEGIN
      PERFORM ${schema}.cancel_holder(space, TG_ARGV[0], row_key);
      RETURN NULL;
    EXCEPTION WHEN lock_not_available THEN
      IF EXISTS (
        SELECT FROM ${schema}.task t JOIN ${schema}.type y ON y.id = t.type_id
         WHERE t.slot = ${schema}.slot_of_key(space, TG_ARGV[0], row_key) AND t.key = row_key AND t.key_live
           AND y.namespace = space AND y.type = TG_ARGV[0] AND t.state = ${STATE.running}
      ) THEN
        RETURN NULL;
      END IF;
    END;
  END LOOP;
  RETURN NULL;
END;
$body$;`;
}

/** What the functions begin with: they read the key of the row as it is (`NEW`) or as it was (`OLD`). */
function keyOf(schema: QuotedSchema, row: "NEW" | "OLD"): string {
  return `DECLARE
  space text := ${schema}.namespace_of_table(TG_RELID, TG_ARGV[2]);
  row_key text;
BEGIN
  PERFORM ${schema}.require_row_trigger(TG_RELID, TG_ARGV[1], TG_WHEN || ' ' || TG_LEVEL);
  EXECUTE format('SELECT ($1).%I::text', TG_ARGV[1]) INTO row_key USING ${row};`;
}

/** What a trigger must be, so that its function may run as the owner of the schema. */
function requirement(schema: QuotedSchema): string {
  return `CREATE FUNCTION ${schema}.require_row_trigger(relation oid, key_column text, moment text) RETURNS void
LANGUAGE plpgsql STABLE ${SAFE_PATH} AS $body$
BEGIN
  IF moment <> 'AFTER ROW' THEN
    RAISE EXCEPTION 'VALIDATION_FAILED: the trigger must be AFTER and FOR EACH ROW' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT EXISTS (
    SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = relation AND a.attname = key_column AND a.attnum > 0 AND t.typnamespace = 'pg_catalog'::regnamespace
  ) THEN
    RAISE EXCEPTION 'VALIDATION_FAILED: the key must be a column of a type of Postgres'' own, such as uuid, bigint or text, and not "%"', key_column
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
END;
$body$;`;
}
