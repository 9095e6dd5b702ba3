/**
 * The first schema: all tables, functions and views, made whole in one transaction. Until 0.1.0 is cut, a change of the
 * schema is made here. From then on this text is never changed again, so it then gets its own copy of the columns of a
 * task, which come from `task-columns.ts` until then.
 *
 * There are few indexes, since each one makes every transition of a task dearer: the due index, the live key, running
 * tasks by owner, and ended tasks. Without the last one, archiving, the retention of dead tasks and the last minute's
 * figures would each read the whole table. The index of start deadlines holds only tasks that have one; its condition
 * is written so that no look for start deadlines can be planned over the due index.
 *
 * Three indexes serve reads. One holds the dead tasks of a type, which stay in the live table, with the prints of their
 * errors, one the paused tasks of a type. The other holds the keys of tasks that do not hold theirs any more: ended
 * tasks, and cycles that a newer one has replaced. An index of keys is a B-tree of (hash of the key, type, id) over
 * keyed rows only (ADR 32): a page reads the newest tasks of a key in order, however many the key has had, and a long
 * key takes no more room than a short one. The members of batches and the tags have an index in both tables; a task
 * without either has no entry there. History has an index of types, so a rare type is listed as cheaply as a common
 * one.
 *
 * The CHECKs of tasks cover only what would lose a task if it were violated. Ranges of numbers are checked where
 * requests come in: Postgres prepares each CHECK anew in each statement, at about 1 µs per comparison, and CHECKs of
 * the ranges took a tenth of a lone create's CPU.
 *
 * Tasks keep a fillfactor of 100: every transition changes some index's condition, so no update of a task can be HOT,
 * and free space in pages would only make the table larger. The rows of heartbeats, nodes, keys and the term are
 * updated for ever, so their pages leave room.
 *
 * Where all tables are published (`FOR ALL TABLES`), Postgres refuses to update or delete in a table without a primary
 * key, unless the whole old row identifies it (REPLICA IDENTITY FULL). A primary key would burden every completion, so
 * that setting is used. Partitions do not inherit it: each gets it when it is made.
 */

import { createHash } from "node:crypto";
import type { QueryRunner } from "typeorm";
import type { QuotedSchema } from "../../connection/session.js";
import { TASK_COLUMNS_DECLARED } from "../../sql/task-columns.js";
import { BATCHES } from "./batch-tables.js";
import { CLUSTER_EVENTS } from "./cluster-event-table.js";
import { AUDIT } from "./audit-table.js";
import { DEAD_LETTERS } from "./dead-tables.js";
import { EFFECTS } from "./effect-tables.js";
import { FIRST_SECRET, LEASES } from "./lease-tables.js";
import { sqlInterface } from "../../sql-interface/sql-interface.js";
import { OPERATIONS } from "./operation-tables.js";
import { SCHEDULES } from "./schedule-tables.js";
import { NO_CHANGE, SETTINGS } from "./setting-tables.js";

/** The rows that stand for what there is one of. `@` is the schema. */
const NO_TERM = "INSERT INTO @term (term, beat) VALUES (0, 0);";
const NO_VIEW = "INSERT INTO @view (number, term, nodes, published_at) VALUES (0, 0, '[]', 'epoch');";
/** Consumers have a label as nodes have. */
const CONSUMER_LABEL = "INSERT INTO @former_node (boot_id, label, forgotten_at) VALUES (0, 'consumer', 'infinity');";
const NO_OCCUPANT = "INSERT INTO @quarantine DEFAULT VALUES;";

/** Puts the only rows of an empty schema back, after all of its tables were emptied. */
export const FIRST_ROWS = [NO_TERM, NO_VIEW, NO_OCCUPANT, NO_CHANGE, CONSUMER_LABEL, FIRST_SECRET].join("\n");

/** Its name among the migrations. */
export const FIRST_SCHEMA = "FirstSchema1763700000000";

/**
 * How an index of tags is kept: new entries wait in a list of at most so many kilobytes, which each look reads whole
 * and a write that fills it puts into the index.
 */
const TAG_INDEX = "gin_pending_list_limit = 256";

const TASKS = `
CREATE TABLE @task (${TASK_COLUMNS_DECLARED},
  CONSTRAINT task_pkey PRIMARY KEY (id),
  CONSTRAINT task_waiting CHECK (state > 0 OR (owner IS NULL AND reason IS NULL AND cancel_requested_at IS NULL)),
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
CREATE INDEX task_dead ON @task (type_id, id) INCLUDE (error_print) WHERE state = 3;
CREATE INDEX task_died ON @task (type_id, finished_at, id) WHERE state = 3;
CREATE INDEX task_paused ON @task (type_id, id) WHERE state = -1;
CREATE INDEX task_member ON @task (batch_id, state, id) WHERE batch_id IS NOT NULL;
CREATE INDEX task_former_key ON @task ((hashtext(key)::bigint << 32 | type_id), id) WHERE key IS NOT NULL AND NOT key_live;
CREATE INDEX task_tag ON @task USING gin (tags) WITH (${TAG_INDEX}) WHERE tags IS NOT NULL;
`;

const FINISHED = `
CREATE TABLE @history (${TASK_COLUMNS_DECLARED},
  CONSTRAINT history_terminal CHECK (state >= 2 AND finished_at IS NOT NULL)
) PARTITION BY RANGE (finished_at);
CREATE TABLE @history_default PARTITION OF @history DEFAULT;
CREATE INDEX history_id ON @history (id);
CREATE INDEX history_type ON @history (type_id, id);
CREATE INDEX history_key ON @history ((hashtext(key)::bigint << 32 | type_id), id) WHERE key IS NOT NULL;
CREATE INDEX history_member ON @history (batch_id, state, id) WHERE batch_id IS NOT NULL;
CREATE INDEX history_tag ON @history USING gin (tags) WITH (${TAG_INDEX}) WHERE tags IS NOT NULL;
CREATE INDEX history_finished ON @history USING brin (finished_at);
ALTER TABLE @history REPLICA IDENTITY FULL;
ALTER TABLE @history_default REPLICA IDENTITY FULL;

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
  actor text,
  count integer,
  started_at timestamptz(3),
  lateness_parts text,
  error text
) PARTITION BY RANGE (recorded_at);
CREATE TABLE @journal_default PARTITION OF @journal DEFAULT;
CREATE INDEX journal_entry ON @journal (task_id, seq);
ALTER TABLE @journal REPLICA IDENTITY FULL;
ALTER TABLE @journal_default REPLICA IDENTITY FULL;
`;

const CLUSTER = `
CREATE TABLE @node (
  boot_id bigint PRIMARY KEY,
  label text NOT NULL,
  version text NOT NULL,
  roles text[] NOT NULL,
  type_ids integer[] NOT NULL,
  state text NOT NULL CHECK (state IN ('live', 'draining', 'dead')),
  joined_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  name text,
  blocked json
) WITH (fillfactor = 50);

CREATE TABLE @former_node (
  boot_id bigint PRIMARY KEY,
  label text NOT NULL,
  forgotten_at timestamptz(3) NOT NULL
);
${CONSUMER_LABEL}

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
${NO_TERM}

CREATE TABLE @view (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  number bigint NOT NULL CHECK (number >= 0),
  term bigint NOT NULL,
  nodes json NOT NULL,
  published_at timestamptz(3) NOT NULL
) WITH (fillfactor = 50);
${NO_VIEW}
`;

const SUSPECTS = `
CREATE TABLE @suspect (
  task_id uuid PRIMARY KEY,
  kills smallint NOT NULL,
  killed_at timestamptz(3) NOT NULL
);

CREATE TABLE @quarantine (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  task_id uuid,
  owner bigint,
  fence integer,
  since timestamptz(3)
) WITH (fillfactor = 50);
${NO_OCCUPANT}
`;

const COUNTERS = `
CREATE TABLE @tally (
  at timestamptz(3) NOT NULL,
  span_minutes smallint NOT NULL,
  type_id integer NOT NULL,
  created bigint NOT NULL DEFAULT 0,
  started bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  dead bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  expired bigint NOT NULL DEFAULT 0,
  latest_ms bigint,
  lateness_ms integer[],
  lateness_count bigint[],
  place_ms bigint NOT NULL DEFAULT 0,
  last_error text,
  late_known_ms bigint NOT NULL DEFAULT 0,
  late_wheel_ms bigint NOT NULL DEFAULT 0,
  late_place_ms bigint NOT NULL DEFAULT 0,
  late_claim_ms bigint NOT NULL DEFAULT 0,
  late_start_ms bigint NOT NULL DEFAULT 0
);
CREATE INDEX tally_at ON @tally (at);
ALTER TABLE @tally REPLICA IDENTITY FULL;

CREATE TABLE @tally_writer (
  id bigint PRIMARY KEY,
  label text NOT NULL,
  wrote_at timestamptz(3) NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE @recount (
  at timestamptz(3) NOT NULL,
  span_minutes smallint NOT NULL,
  closed_at timestamptz(3),
  counted_at timestamptz(3),
  CONSTRAINT recount_pkey PRIMARY KEY (at, span_minutes)
);
`;

const FINDINGS = `
CREATE TABLE @finding (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  code text NOT NULL,
  subject text NOT NULL,
  namespace text,
  severity text NOT NULL,
  facts json NOT NULL,
  since timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  until timestamptz(3)
);
CREATE UNIQUE INDEX finding_open ON @finding (code, subject) WHERE until IS NULL;
CREATE INDEX finding_until ON @finding (until) WHERE until IS NOT NULL;
`;

const OTHERS = `
CREATE TABLE @type (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  namespace text NOT NULL,
  type text NOT NULL,
  delivery text NOT NULL CHECK (delivery IN ('handler', 'webhook', 'broker', 'pull')),
  used_at timestamptz(3),
  dropped_at timestamptz(3),
  policy json,
  CONSTRAINT type_name UNIQUE (namespace, type)
);

CREATE TABLE @type_policy (
  boot_id bigint NOT NULL,
  type_id integer NOT NULL,
  policy json NOT NULL,
  CONSTRAINT type_policy_pkey PRIMARY KEY (boot_id, type_id)
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
  role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin', 'worker')),
  cluster boolean NOT NULL DEFAULT false,
  rights text[] NOT NULL DEFAULT '{}',
  types text[],
  expires_at timestamptz(3),
  is_first boolean NOT NULL DEFAULT false,
  name text,
  prefix text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  created_by text NOT NULL DEFAULT 'system',
  revoked_at timestamptz(3),
  revoked_by text,
  replaced_by uuid,
  used_at timestamptz(3),
  used_from text,
  CONSTRAINT api_key_revoked CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
  CONSTRAINT api_key_types CHECK (CASE WHEN role = 'worker' THEN coalesce(cardinality(types), 0) BETWEEN 1 AND 100 ELSE types IS NULL END)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX api_key_name ON @api_key (namespace, name) WHERE revoked_at IS NULL AND replaced_by IS NULL;
CREATE INDEX api_key_listed ON @api_key (namespace, created_at, id);

CREATE TABLE @session (
  id uuid PRIMARY KEY,
  hash text NOT NULL CONSTRAINT session_hash UNIQUE,
  key_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  used_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  over_at timestamptz(3) NOT NULL CHECK (over_at <= ends_at)
) WITH (fillfactor = 50);
CREATE INDEX session_key ON @session (key_id, created_at);
CREATE INDEX session_over ON @session (over_at);
`;

const COMPATIBILITY = `
CREATE TABLE @compatibility (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  oldest_migration bigint NOT NULL,
  first_schema text NOT NULL
);
`;

const PARTS = [
  TASKS,
  FINISHED,
  CLUSTER,
  CLUSTER_EVENTS,
  SUSPECTS,
  COUNTERS,
  FINDINGS,
  SCHEDULES,
  EFFECTS,
  BATCHES,
  DEAD_LETTERS,
  SETTINGS,
  LEASES,
  OPERATIONS,
  AUDIT,
  OTHERS,
  COMPATIBILITY,
];

/**
 * Identifies this first schema: the SHA-256 of its text, in hex. The schema's name is not part of the text. The hash
 * comes from the text itself, so no version number has to be kept by hand.
 */
export const FIRST_SCHEMA_HASH = createHash("sha256").update(PARTS.join("")).update(sqlInterface("@")).digest("hex");

/** Makes all tables in an empty schema, in the caller's transaction. */
export async function createFirstSchema(runner: QueryRunner, schema: QuotedSchema): Promise<void> {
  for (const part of PARTS) await runner.query(part.replaceAll("@", `${schema}.`));
  await runner.query(sqlInterface(schema));
  await runner.query(
    `INSERT INTO ${schema}.compatibility (oldest_migration, first_schema) VALUES (0, '${FIRST_SCHEMA_HASH}')`,
  );
}
