import type { MigrationInterface, QueryRunner } from "typeorm";
import { quoteSchema } from "../../connection/session.js";
import { DEFAULT_SCHEMA } from "../../connection/postgres-database.js";

/**
 * The first schema. Written out and never changed again; the schema's name comes from the data source.
 *
 * Few indexes, since each costs every transition of a task: the due index, the live key, running tasks by owner, and one more over ended
 * tasks, without which archiving, the retention of dead tasks and the last minute's figures would each read the whole table. The index of
 * start deadlines holds only tasks that have one; its condition is written so that no look for it can be planned over the due index.
 *
 * The CHECKs of tasks hold what would lose a task if it were not so; ranges of numbers are checked where they come in. Postgres prepares each
 * CHECK anew in each statement, about 1 µs per comparison: those of the ranges were a tenth of a lone create's CPU.
 *
 * Tasks keep a fillfactor of 100: every transition changes some index's condition, so no update of a task can be HOT, and free space in
 * pages would only make the table larger. Heartbeats, nodes and the term are updated in place for ever: they leave room.
 */
export class FirstSchema1763700000000 implements MigrationInterface {
  readonly name = "FirstSchema1763700000000";

  async up(runner: QueryRunner): Promise<void> {
    const { schema } = runner.dataSource.options as { schema?: string };
    const quoted = quoteSchema(schema ?? DEFAULT_SCHEMA);
    for (const part of [TASKS, FINISHED, CLUSTER, OTHERS]) await runner.query(part.replaceAll("@", `${quoted}.`));
  }

  /** Migrations go forward only. */
  down(): Promise<void> {
    return Promise.reject(new Error("Tickwheel's migrations go forward only"));
  }
}

const TASK_COLUMNS = `
  id uuid NOT NULL,
  scheduled_at timestamptz(3) NOT NULL,
  due_at timestamptz(3) NOT NULL,
  start_deadline_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  claimed_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  cancel_requested_at timestamptz(3),
  owner bigint,
  timeout_ms bigint NOT NULL,
  type_id integer NOT NULL,
  version integer NOT NULL DEFAULT 1,
  fence integer NOT NULL DEFAULT 0,
  attempt integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL,
  defer_count integer NOT NULL DEFAULT 0,
  journal_count integer NOT NULL DEFAULT 0,
  slot smallint NOT NULL,
  state smallint NOT NULL,
  crash_count smallint NOT NULL DEFAULT 0,
  priority smallint NOT NULL,
  key_live boolean NOT NULL,
  key text,
  reason text,
  created_by text NOT NULL,
  cancelled_by text,
  last_error text,
  backoff json,
  payload json,
  webhook json,
  result json`;

const TASKS = `
CREATE TABLE @task (${TASK_COLUMNS},
  CONSTRAINT task_pkey PRIMARY KEY (id),
  CONSTRAINT task_scheduled CHECK (state <> 0 OR (owner IS NULL AND reason IS NULL AND cancel_requested_at IS NULL)),
  CONSTRAINT task_running CHECK (state <> 1 OR (owner IS NOT NULL AND claimed_at IS NOT NULL)),
  CONSTRAINT task_terminal CHECK ((state >= 2) = (finished_at IS NOT NULL)),
  CONSTRAINT task_key_live CHECK (NOT key_live OR (key IS NOT NULL AND state < 2))
) WITH (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0.1,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX task_due ON @task (type_id, due_at, id) WHERE state = 0;
CREATE UNIQUE INDEX task_live_key ON @task (slot, type_id, key) WHERE key_live;
CREATE INDEX task_running ON @task (owner) WHERE state = 1;
CREATE INDEX task_start_deadline ON @task (type_id, start_deadline_at)
  WHERE (state + 0) = 0 AND started_at IS NULL AND start_deadline_at IS NOT NULL;
CREATE INDEX task_ended ON @task (state, finished_at) WHERE state >= 2;
`;

const FINISHED = `
CREATE TABLE @history (${TASK_COLUMNS},
  CONSTRAINT history_terminal CHECK (state >= 2 AND finished_at IS NOT NULL)
) PARTITION BY RANGE (finished_at);
CREATE TABLE @history_default PARTITION OF @history DEFAULT;
CREATE INDEX history_id ON @history (id);
CREATE INDEX history_owner ON @history (owner) WHERE owner IS NOT NULL;
CREATE INDEX history_finished ON @history USING brin (finished_at);

CREATE TABLE @journal (
  task_id uuid NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  at timestamptz(3) NOT NULL,
  seq integer NOT NULL,
  fence integer NOT NULL,
  attempt integer NOT NULL,
  from_state smallint,
  to_state smallint NOT NULL,
  node text,
  reason text,
  actor text
) PARTITION BY RANGE (recorded_at);
CREATE TABLE @journal_default PARTITION OF @journal DEFAULT;
CREATE INDEX journal_task ON @journal (task_id);
`;

const CLUSTER = `
CREATE TABLE @node (
  boot_id bigint PRIMARY KEY,
  label text NOT NULL,
  version text NOT NULL,
  roles text[] NOT NULL,
  type_ids integer[] NOT NULL,
  state text NOT NULL CHECK (state IN ('live', 'draining', 'dead')),
  joined_at timestamptz(3) NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE @heartbeat (
  boot_id bigint PRIMARY KEY,
  beat bigint NOT NULL CHECK (beat >= 0),
  vitals json NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE @term (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  term bigint NOT NULL CHECK (term >= 0),
  holder bigint,
  beat bigint NOT NULL CHECK (beat >= 0)
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
INSERT INTO @term (term, beat) VALUES (0, 0);

CREATE TABLE @view (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  number bigint NOT NULL CHECK (number >= 0),
  term bigint NOT NULL,
  nodes json NOT NULL,
  published_at timestamptz(3) NOT NULL
) WITH (fillfactor = 50);
INSERT INTO @view (number, term, nodes, published_at) VALUES (0, 0, '[]', 'epoch');
`;

const OTHERS = `
CREATE TABLE @type (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  namespace text NOT NULL,
  type text NOT NULL,
  delivery text NOT NULL CHECK (delivery IN ('handler', 'webhook')),
  CONSTRAINT type_name UNIQUE (namespace, type)
);

CREATE TABLE @idempotency (
  slot smallint NOT NULL CHECK (slot BETWEEN 0 AND 4095),
  namespace text NOT NULL,
  key text NOT NULL,
  body_hash text NOT NULL,
  outcomes json,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_pkey PRIMARY KEY (slot, namespace, key)
);

CREATE TABLE @api_key (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  hash text NOT NULL CONSTRAINT api_key_hash UNIQUE,
  namespace text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  cluster boolean NOT NULL DEFAULT false,
  expires_at timestamptz(3)
);
`;
