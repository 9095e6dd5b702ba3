/**
 * The part of the first schema for schedules: their rows, their runs, and what nodes announce of them.
 *
 * A schedule's look reads an index that holds only schedules which are to be looked at. The row of a schedule is
 * updated for ever, so its pages leave room. Its standing is derived from what planning keeps. The index of standings
 * finds the schedules that do not run, and lists those of a type; an update that changes no standing can still be HOT.
 * Another index lists what is paused or finished: no schedule in force is in it, so what is planned never writes it. A
 * schedule's occurrences are ordinary tasks: what is kept of them besides is in a table of runs, found by schedule or
 * by task, with an index of those that are open and one of those that ended last.
 */
export const SCHEDULES = `
CREATE TABLE @schedule (
  id uuid PRIMARY KEY,
  namespace text NOT NULL,
  name text COLLATE "C" NOT NULL,
  type_id integer NOT NULL,
  revision integer NOT NULL,
  payload json,
  definition json NOT NULL,
  task_options json NOT NULL,
  application text,
  hash text,
  created_at timestamptz(3) NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  changed_by text NOT NULL,
  planned_until timestamptz(3) NOT NULL,
  settled_until timestamptz(3) NOT NULL,
  look_at timestamptz(3),
  zone_rules text COLLATE "C",
  planning json NOT NULL,
  standing text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    coalesce(planning -> 'pause' ->> 'reason', CASE WHEN planning ->> 'isFinished' = 'true' THEN 'FINISHED' ELSE 'IN_FORCE' END)
  ) STORED,
  last_seq bigint NOT NULL DEFAULT 0,
  deleted_at timestamptz(3),
  CONSTRAINT schedule_deleted CHECK (deleted_at IS NULL OR look_at IS NULL)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX schedule_name ON @schedule (namespace, name) WHERE deleted_at IS NULL;
CREATE INDEX schedule_in_code ON @schedule (namespace, name) WHERE deleted_at IS NULL AND application IS NOT NULL;
CREATE INDEX schedule_look ON @schedule (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX schedule_zone_rules ON @schedule (zone_rules) WHERE zone_rules IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX schedule_standing ON @schedule (standing, type_id, name) WHERE deleted_at IS NULL;
CREATE INDEX schedule_out_of_force ON @schedule (namespace, standing, name) WHERE deleted_at IS NULL AND standing <> 'IN_FORCE';
CREATE INDEX schedule_gone ON @schedule (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE @schedule_run (
  schedule_id uuid NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('spec', 'trigger', 'backfill', 'skip')),
  at timestamptz(3) NOT NULL,
  until timestamptz(3),
  missed integer NOT NULL,
  has_missed_more boolean NOT NULL,
  stood_for timestamptz(3),
  task_id uuid,
  due_at timestamptz(3),
  started_at timestamptz(3),
  state smallint,
  reason text,
  attempt integer,
  max_attempts integer,
  ended_at timestamptz(3),
  CONSTRAINT schedule_run_pkey PRIMARY KEY (schedule_id, seq),
  CONSTRAINT schedule_run_task CHECK ((kind = 'skip') = (task_id IS NULL))
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX schedule_run_by_task ON @schedule_run (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX schedule_run_open ON @schedule_run (schedule_id) WHERE ended_at IS NULL;
CREATE INDEX schedule_run_last ON @schedule_run (schedule_id, ended_at, seq) WHERE ended_at IS NOT NULL AND kind IN ('spec', 'trigger');

CREATE TABLE @schedule_announcement (
  namespace text NOT NULL,
  name text NOT NULL,
  application text NOT NULL,
  hash text NOT NULL,
  content json NOT NULL,
  boot_ids bigint[] NOT NULL,
  first_seen_at timestamptz(3) NOT NULL,
  left_at timestamptz(3) NOT NULL,
  CONSTRAINT schedule_announcement_pkey PRIMARY KEY (namespace, name, application, hash)
);
`;
