import { DEFAULT_BACKOFF, GIVEN } from "@tickwheel/core";
import type { QuotedSchema } from "../connection/session.js";
import { now } from "../sql/sql-fragments.js";
import { STATE } from "../sql/state-codes.js";
import { freeing } from "../statements/create/free-keys.js";
import { insertByKey, WITH_EXTRAS } from "../statements/create/insert-tasks.js";
import { refreshing } from "../statements/create/refresh-tasks.js";
import { collectFaults } from "./input-faults.js";
import { SAFE_PATH } from "./safe-path.js";

/** `schedule` with the types of its parameters, as a grant names it. */
export const SCHEDULE_SIGNATURE =
  "schedule(text, json, interval, timestamptz, text, text, interval, integer, integer, interval, interval, text[], integer, text)";

/** The parameters that say what is to be created: type and default. */
const FIELDS = {
  type: "text",
  payload: "json DEFAULT NULL",
  delay: "interval DEFAULT NULL",
  scheduled_at: "timestamptz DEFAULT NULL",
  key: "text DEFAULT NULL",
  on_conflict: "text DEFAULT 'reject'",
  max_wait: "interval DEFAULT NULL",
  priority: "integer DEFAULT NULL",
  max_attempts: "integer DEFAULT NULL",
  timeout: "interval DEFAULT NULL",
  start_deadline: "interval DEFAULT NULL",
  tags: "text[] DEFAULT NULL",
  payload_version: "integer DEFAULT NULL",
};
const PARAMETERS = Object.entries(FIELDS)
  .map(([name, type]) => `\n  ${name} ${type}`)
  .join(",");
const RESULT = `
  OUT outcome text,
  OUT id uuid`;

const VARIABLES = `
  actor text := 'sql:' || session_user;
  faults text[];
  kind record;
  asked record;
  holder record;
  freed_at timestamptz;
  new_slot smallint;
  new_id uuid;
  continued uuid;`;

const CLOCK = `WITH clock AS MATERIALIZED (SELECT ${now("NULL")} AS now)`;

/** What is asked for, in milliseconds. */
const ASKED = `
  SELECT ${ms("schedule_in.scheduled_at")} AS at_ms,
         CASE WHEN schedule_in.scheduled_at IS NULL THEN coalesce(${ms("schedule_in.delay")}, 0) END AS delay_ms,
         ${ms("schedule_in.max_wait")} AS max_wait_ms,
         coalesce(${ms("schedule_in.start_deadline")}, (kind.policy ->> 'startDeadlineMs')::float8) AS start_deadline_ms,
         coalesce(${ms("schedule_in.timeout")}, (kind.policy ->> 'timeoutMs')::float8, 60000)::bigint AS timeout_ms
    INTO asked;`;

/** The row `r` of the new task, with the columns of `SENT_WITH_EXTRAS`. */
const NEW_TASK = `(
      SELECT new_id AS id, new_slot AS slot, kind.id AS type_id, schedule_in.key AS key,
             asked.at_ms, asked.delay_ms, asked.start_deadline_ms,
             CASE WHEN json_typeof(schedule_in.payload) <> 'null' THEN schedule_in.payload::text END AS payload,
             coalesce(schedule_in.priority, (kind.policy ->> 'priority')::integer, 5)::smallint AS priority,
             coalesce(schedule_in.max_attempts, (kind.policy ->> 'maxAttempts')::integer,
                      json_array_length(kind.policy #> '{backoff,delaysMs}') + 1, 3) AS max_attempts,
             nullif((kind.policy -> 'backoff')::text, '${JSON.stringify(DEFAULT_BACKOFF)}') AS backoff, asked.timeout_ms,
             ((schedule_in.max_attempts IS NOT NULL)::integer * ${GIVEN.maxAttempts}
              + (schedule_in.timeout IS NOT NULL)::integer * ${GIVEN.timeoutMs})::smallint AS given,
             '{"kind":"handler","payloadVersion":' || schedule_in.payload_version || '}' AS delivery, actor AS created_by,
             asked.max_wait_ms, continued AS continues,
             CASE WHEN cardinality(schedule_in.tags) > 0 THEN schedule_in.tags::text END AS tags,
             NULL::text AS later_ms, NULL::uuid AS batch_id, NULL::integer AS shard_index, NULL::integer AS shard_total
    ) AS r`;

/**
 * Creates a task in the caller's transaction, with the rules, the id and the slot that a node would give it. It tells
 * nobody: a node finds the task once it is due.
 *
 * The statements and their order are those of `writeTasks` for one task. The function is volatile, so each of its
 * statements has a snapshot of its own: those behind the insert see the holder of the key that the insert has locked.
 */
export function scheduleFunction(schema: QuotedSchema): string {
  return `${idFunctions(schema)}
CREATE FUNCTION ${schema}.schedule_in(space text,${PARAMETERS},${RESULT}
) LANGUAGE plpgsql ${SAFE_PATH} AS $body$
#variable_conflict use_column
DECLARE${VARIABLES}
BEGIN
${collectFaults(schema)}
  IF cardinality(faults) > 0 THEN
    RAISE EXCEPTION 'VALIDATION_FAILED: %', array_to_string(faults, '; ') USING ERRCODE = 'invalid_parameter_value';
  END IF;
${findType(schema)}
${ASKED}
  new_slot := CASE WHEN schedule_in.key IS NULL THEN floor(random() * 4096)
                   ELSE ${schema}.slot_of_key(space, schedule_in.type, schedule_in.key) END;
  IF schedule_in.key IS NULL THEN
    new_id := ${schema}.new_task_id(new_slot);
    ${insertUnheld(schema)};
    outcome := 'created';
  ELSE
    ${writeKeyed(schema)}
  END IF;
  id := coalesce(id, new_id);
  IF outcome IN ('created', 'replaced') THEN
    INSERT INTO ${schema}.tally (at, span_minutes, type_id, created)
    VALUES (date_trunc('minute', clock_timestamp(), 'UTC'), 1, kind.id, 1);
  END IF;
END;
$body$;

CREATE FUNCTION ${schema}.schedule(${PARAMETERS},
  namespace text DEFAULT NULL,${RESULT}
) LANGUAGE plpgsql SECURITY DEFINER ${SAFE_PATH} AS $body$
BEGIN
  SELECT s.outcome, s.id INTO outcome, id
    FROM ${schema}.schedule_in(${schema}.sql_namespace(session_user, namespace), ${Object.keys(FIELDS).join(", ")}) s;
END;
$body$;`;
}

/** Ids and slots as `newTaskId` and `slotOfKey` make them. */
function idFunctions(schema: QuotedSchema): string {
  return `
CREATE FUNCTION ${schema}.slot_of_key(namespace text, type text, key text) RETURNS smallint
LANGUAGE sql IMMUTABLE ${SAFE_PATH}
RETURN (
  SELECT (get_byte(digest, 0) * 16 + get_byte(digest, 1) / 16)::smallint
    FROM sha256(convert_to(namespace, 'UTF8') || '\\x00'::bytea || convert_to(type, 'UTF8') || '\\x00'::bytea || convert_to(key, 'UTF8')) digest
);

CREATE FUNCTION ${schema}.new_task_id(slot smallint) RETURNS uuid
LANGUAGE sql VOLATILE ${SAFE_PATH}
RETURN (
  lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
  || '7' || lpad(to_hex(slot::integer), 3, '0') || right(replace(gen_random_uuid()::text, '-', ''), 16)
)::uuid;
`;
}

function findType(schema: QuotedSchema): string {
  return `
  SELECT y.id, y.delivery, y.policy INTO kind FROM ${schema}.type y
   WHERE y.namespace = space AND y.type = schedule_in.type AND y.dropped_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'TYPE_NOT_FOUND: there is no type "%" in the namespace "%"', left(schedule_in.type, 128), space
      USING ERRCODE = 'undefined_object', HINT = 'A type is known from the first node with its handler on.';
  END IF;
  IF kind.delivery IN ('webhook', 'broker') THEN
    RAISE EXCEPTION 'TYPE_DELIVERY_CONFLICT: tasks of the type "%" are sent to webhooks or brokers, which REST, GraphQL and code create', schedule_in.type
      USING ERRCODE = 'invalid_parameter_value';
  END IF;`;
}

/** An insert of a task whose key is free, or that has none. */
function insertUnheld(schema: QuotedSchema): string {
  return `${CLOCK}
    INSERT INTO ${schema}.task (${WITH_EXTRAS.columns})
    SELECT ${WITH_EXTRAS.values} FROM clock CROSS JOIN ${NEW_TASK}`;
}

function writeKeyed(schema: QuotedSchema): string {
  const holderRow = `(SELECT holder.id AS id, CASE WHEN schedule_in.on_conflict = 'replace' THEN actor END AS replaced_by,
                             continued AS continued_by) AS r`;
  return `FOR attempt IN 1 .. 3 LOOP
      new_id := ${schema}.new_task_id(new_slot);
      ${CLOCK}
      ${insertByKey(schema, NEW_TASK, WITH_EXTRAS)};
      IF FOUND THEN outcome := 'created'; EXIT; END IF;
      SELECT h.id, h.state <= ${STATE.scheduled} AND h.started_at IS NULL AS waits INTO holder FROM ${schema}.task h
       WHERE h.slot = new_slot AND h.type_id = kind.id AND h.key = schedule_in.key AND h.key_live;
      CONTINUE WHEN NOT FOUND;
      IF schedule_in.on_conflict = 'reject' THEN
        RAISE EXCEPTION 'TASK_KEY_CONFLICT: the task % of the type "%" has the key', holder.id, schedule_in.type
          USING ERRCODE = 'unique_violation', DETAIL = holder.id, HINT = 'on_conflict may be return, replace or refresh.';
      END IF;
      IF schedule_in.on_conflict = 'return' THEN outcome := 'existing'; id := holder.id; EXIT; END IF;
      IF schedule_in.on_conflict = 'refresh' AND holder.waits THEN
        ${refreshHolder(schema)}
        outcome := 'refreshed'; id := holder.id; EXIT;
      END IF;
      continued := CASE WHEN schedule_in.on_conflict = 'refresh' THEN new_id END;
      ${CLOCK}, ${freeing(schema, holderRow)} SELECT clock.now INTO freed_at FROM clock;
      continued := CASE WHEN schedule_in.on_conflict = 'refresh' THEN holder.id END;
      ${insertUnheld(schema)};
      outcome := CASE schedule_in.on_conflict WHEN 'replace' THEN 'replaced' ELSE 'created' END; EXIT;
    END LOOP;
    IF outcome IS NULL THEN
      RAISE EXCEPTION 'STORE_UNAVAILABLE: the holder of the key went away each time that it was looked at'
        USING ERRCODE = 'serialization_failure';
    END IF;`;
}

function refreshHolder(schema: QuotedSchema): string {
  const asked = `(SELECT new_slot AS slot, kind.id AS type_id, schedule_in.key AS key, asked.at_ms, asked.delay_ms,
                         NULL::float8 AS earliest_ms, NULL::float8 AS least_delay_ms, asked.max_wait_ms, actor, 1 AS count) AS r`;
  return `${CLOCK}, ${refreshing(schema, asked)} SELECT written.id INTO id FROM written;`;
}

/** An interval or an instant as whole milliseconds. */
function ms(value: string): string {
  return `round(extract(epoch FROM ${value}) * 1000)::float8`;
}
