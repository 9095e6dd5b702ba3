import type { QuotedSchema } from "../connection/session.js";
import { tallyEnds } from "../sql/batch-sql.js";
import { endOrAsk } from "../sql/cancel-sql.js";
import { now } from "../sql/sql-fragments.js";
import { STATE } from "../sql/state-codes.js";
import { SAFE_PATH } from "./safe-path.js";

/** Both forms of `cancel`, as a grant names them. */
export const CANCEL_SIGNATURES = ["cancel(text, text, text)", "cancel(uuid, text)"];

/**
 * Cancel in the caller's transaction, by the key that a live task holds or by id. `outcome` is what a node would
 * answer: `cancelled`, also if it was before; `cancel_requested` of one that runs; `too_late` of one that has ended;
 * `not_found`.
 */
export function cancelFunctions(schema: QuotedSchema): string {
  return `${cancelRow(schema)}
CREATE FUNCTION ${schema}.cancel(type text, key text, namespace text DEFAULT NULL, OUT outcome text, OUT id uuid)
LANGUAGE plpgsql SECURITY DEFINER ${SAFE_PATH} AS $body$
#variable_conflict use_column
DECLARE
  space text := ${schema}.sql_namespace(session_user, cancel.namespace);
BEGIN
  SELECT c.outcome, c.id INTO outcome, id FROM ${schema}.cancel_holder(space, cancel.type, cancel.key) c;
END;
$body$;

CREATE FUNCTION ${schema}.cancel_holder(space text, type text, key text, OUT outcome text, OUT id uuid)
LANGUAGE plpgsql ${SAFE_PATH} AS $body$
#variable_conflict use_column
BEGIN
  id := (SELECT t.id FROM ${schema}.task t
          WHERE t.slot = ${schema}.slot_of_key(space, cancel_holder.type, cancel_holder.key) AND t.key = cancel_holder.key AND t.key_live
            AND t.type_id = (SELECT y.id FROM ${schema}.type y WHERE y.namespace = space AND y.type = cancel_holder.type));
  outcome := CASE WHEN id IS NULL THEN 'not_found' ELSE ${schema}.cancel_row(space, id, true) END;
  id := CASE WHEN outcome <> 'not_found' THEN id END;
END;
$body$;

CREATE FUNCTION ${schema}.cancel(id uuid, namespace text DEFAULT NULL, OUT outcome text)
LANGUAGE plpgsql SECURITY DEFINER ${SAFE_PATH} AS $body$
DECLARE
  space text := ${schema}.sql_namespace(session_user, cancel.namespace);
BEGIN
  outcome := ${schema}.cancel_row(space, cancel.id, false);
END;
$body$;`;
}

/** The statements are those of `cancelTask`, and of the look at what it has left alone. */
function cancelRow(schema: QuotedSchema): string {
  const looked = (table: string): string => `
      SELECT t.state, t.cancel_requested_at IS NOT NULL AS is_asked, t.key_live
        FROM ${schema}.${table} t JOIN ${schema}.type y ON y.id = t.type_id WHERE t.id = wanted AND y.namespace = space`;
  return `
CREATE FUNCTION ${schema}.cancel_row(space text, wanted uuid, by_key boolean) RETURNS text
LANGUAGE plpgsql ${SAFE_PATH} AS $body$
DECLARE
  actor text := 'sql:' || session_user;
  found_state smallint;
  seen record;
BEGIN
  FOR attempt IN 1 .. 3 LOOP
    WITH clock AS MATERIALIZED (SELECT ${now("NULL")} AS now),
    cancelled AS (
      UPDATE ${schema}.task t
         SET ${endOrAsk("actor")}
        FROM clock
       WHERE t.id = wanted AND t.cancel_requested_at IS NULL AND t.state <= ${STATE.running} AND (t.key_live OR NOT by_key)
         AND t.type_id IN (SELECT y.id FROM ${schema}.type y WHERE y.namespace = space)
      RETURNING t.*
    ),
    tallied AS (${tallyEnds(schema, "cancelled", "state")})
    SELECT cancelled.state INTO found_state FROM cancelled;
    IF FOUND THEN
      RETURN CASE found_state WHEN ${STATE.running} THEN 'cancel_requested' ELSE 'cancelled' END;
    END IF;
    SELECT * INTO seen FROM (${looked("task")} UNION ALL ${looked("history")}) found LIMIT 1;
    IF NOT FOUND OR (by_key AND NOT seen.key_live) THEN RETURN 'not_found'; END IF;
    IF seen.state = ${STATE.running} AND seen.is_asked THEN RETURN 'cancel_requested'; END IF;
    IF seen.state = ${STATE.cancelled} THEN RETURN 'cancelled'; END IF;
    IF seen.state > ${STATE.running} THEN RETURN 'too_late'; END IF;
  END LOOP;
  RAISE EXCEPTION 'STORE_UNAVAILABLE: the task changed each time that it was looked at: try again'
    USING ERRCODE = 'serialization_failure';
END;
$body$;`;
}
