/** Before anybody has changed a setting. `@` is the schema. */
export const NO_CHANGE = "INSERT INTO @revision (name, timeline, number) VALUES ('settings', 1, 0);";

/**
 * The part of the first schema for what people set at run time.
 *
 * `revision` counts the changes, with the server's timeline beside the number. Each change locks its row first and
 * keeps it to the commit, so numbers rise in the order of the commits. Each beat reads it.
 *
 * `flow_limit` holds what may run of a type, or of a namespace. Every claim of a limited type holds its row, and
 * `places` names the tasks that hold its places: those of them that run still do. `bucket` holds the tokens of those
 * with a rate, by the same number; each lease of tokens writes it.
 *
 * `breaker` holds the breakers that are not closed: types whose attempts fail, and hosts that have asked for a rest.
 * The node in `trial_by` tries one task of a type until `until_at`.
 *
 * A pause whose `until_at` has passed is over. Its row stays for a while: a claim that still believes in the pause of a
 * key may commit after the pause's end, and the look that resumes what was paused goes by the row. Keys have the
 * collation of the keys of tasks, or no index of those would find them.
 */
export const SETTINGS = `
CREATE TABLE @revision (
  name text PRIMARY KEY,
  timeline integer NOT NULL,
  number bigint NOT NULL CHECK (number >= 0)
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);
${NO_CHANGE}

CREATE TABLE @type_setting (
  type_id integer PRIMARY KEY,
  concurrency integer,
  keep_succeeded_ms bigint,
  keep_cancelled_ms bigint,
  keep_dead_ms bigint,
  changed_at timestamptz(3) NOT NULL,
  changed_by text NOT NULL
);

CREATE TABLE @flow_limit (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  namespace text NOT NULL,
  type_id integer,
  max_running integer,
  places uuid[] NOT NULL DEFAULT '{}',
  rate_count integer,
  rate_ms bigint,
  burst integer,
  changed_at timestamptz(3) NOT NULL,
  changed_by text NOT NULL,
  CONSTRAINT flow_limit_subject UNIQUE NULLS NOT DISTINCT (namespace, type_id),
  CONSTRAINT flow_limit_values CHECK (max_running IS NOT NULL OR rate_count IS NOT NULL),
  CONSTRAINT flow_limit_rate CHECK (num_nulls(rate_count, rate_ms, burst) IN (0, 3))
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE @bucket (
  id integer PRIMARY KEY,
  rate_per_ms double precision NOT NULL,
  burst double precision NOT NULL,
  tokens double precision NOT NULL,
  refilled_at timestamptz(3) NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE @breaker (
  namespace text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('type', 'host')),
  name text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'half')),
  reason text NOT NULL,
  opened_at timestamptz(3) NOT NULL,
  until_at timestamptz(3) NOT NULL,
  open_ms integer NOT NULL,
  trial_by bigint,
  failed_trials integer NOT NULL,
  PRIMARY KEY (namespace, kind, name),
  CONSTRAINT breaker_trial CHECK ((state = 'half') = (trial_by IS NOT NULL))
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE @pause (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  namespace text NOT NULL,
  type_id integer,
  slot smallint,
  key text,
  paused_at timestamptz(3) NOT NULL,
  until_at timestamptz(3) NOT NULL DEFAULT 'infinity',
  reason text,
  paused_by text NOT NULL,
  CONSTRAINT pause_subject UNIQUE NULLS NOT DISTINCT (type_id, key, namespace),
  CONSTRAINT pause_key CHECK (key IS NULL OR (type_id IS NOT NULL AND slot IS NOT NULL))
);
`;
