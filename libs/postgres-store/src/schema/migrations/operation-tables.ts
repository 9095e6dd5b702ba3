import { UNDO_OUTCOMES } from "@tickwheel/core";

const outcomes = UNDO_OUTCOMES.map((outcome) => `'${outcome}'`).join(", ");

/**
 * Operations on many tasks, and what each has changed. An operation's row is written once a page: it leaves room, and
 * only `operation_open` has what a page changes. `below`, `locked_ids` and `round` say where the pages of the act
 * stand, `undo_above` and `round` those of the undo.
 *
 * For a changed task, what the action may have changed is remembered: for a retry, a restore and a discard (`is_whole`)
 * also what its run has left, but for large results (`without_result`). `version`, `fence` and `state` are as the page
 * left the row: an undo touches no other row.
 */
export const OPERATIONS = `
CREATE TABLE @operation (
  id uuid PRIMARY KEY,
  namespace text NOT NULL,
  action text COLLATE "C" NOT NULL,
  filter json NOT NULL,
  options json NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'undoing', 'undone')),
  held_at timestamptz(3),
  held_by text,
  stop_reason text COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  reason text,
  idempotency_key text,
  body_hash text,
  estimate bigint,
  next_at timestamptz(3) NOT NULL,
  page integer NOT NULL DEFAULT 0,
  below uuid,
  found bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  passed json NOT NULL DEFAULT '{}',
  recent json NOT NULL DEFAULT '[]',
  locked_ids uuid[] NOT NULL DEFAULT '{}',
  round smallint NOT NULL DEFAULT 0,
  result_bytes bigint NOT NULL DEFAULT 0,
  node text,
  finished_at timestamptz(3),
  undo json,
  undo_above uuid,
  undone bigint NOT NULL DEFAULT 0,
  left_behind json NOT NULL DEFAULT '{}',
  forgotten_at timestamptz(3),
  CONSTRAINT operation_finished CHECK ((state IN ('running', 'undoing')) = (finished_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX operation_open ON @operation (next_at) WHERE state IN ('running', 'undoing') AND held_at IS NULL;
CREATE INDEX operation_list ON @operation (namespace, id);
CREATE INDEX operation_of_namespace ON @operation (namespace) WHERE state IN ('running', 'undoing');
CREATE UNIQUE INDEX operation_idempotency ON @operation (namespace, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX operation_memory ON @operation (finished_at) WHERE forgotten_at IS NULL AND finished_at IS NOT NULL;
CREATE INDEX operation_finished_at ON @operation (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE @operation_task (
  operation_id uuid NOT NULL,
  task_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  version integer NOT NULL,
  fence integer NOT NULL,
  state smallint NOT NULL,
  was smallint NOT NULL,
  was_archived boolean NOT NULL,
  had_key boolean NOT NULL,
  is_whole boolean NOT NULL,
  without_result boolean NOT NULL DEFAULT false,
  scheduled_at timestamptz(3) NOT NULL,
  due_at timestamptz(3) NOT NULL,
  start_deadline_at timestamptz(3),
  wait_until timestamptz(3),
  paused_at timestamptz(3),
  paused_ms bigint,
  finished_at timestamptz(3),
  reason text,
  cancelled_by text,
  tags text[],
  owner bigint,
  claimed_at timestamptz(3),
  started_at timestamptz(3),
  cancel_requested_at timestamptz(3),
  attempt integer,
  crash_count smallint,
  snooze_count smallint,
  defer_count integer,
  journal_count integer,
  error_print bigint,
  notes jsonb,
  last_error text,
  lateness_parts text,
  result json,
  undone text COLLATE "C" CHECK (undone IN (${outcomes})),
  CONSTRAINT operation_task_pkey PRIMARY KEY (operation_id, task_id)
);
`;
