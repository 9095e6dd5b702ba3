/**
 * Dead letters by cause: how many dead tasks of a type have an error of one print.
 *
 * A statement that makes or unmakes a death appends to `dead_tally` as well, so nobody waits for a counter. A fold
 * moves the tallies into the groups, and counts the deaths of each hour. The group 0 of a type holds the causes for
 * which there was no room, and tasks without a print. A group's row is updated about once a second while its tasks die:
 * its pages leave room, and no index has what each fold changes: `is_unseen` changes once, with the first death after a
 * look, and a first death stays the first.
 */
export const DEAD_LETTERS = `
CREATE TABLE @dead_group (
  type_id integer NOT NULL,
  print bigint NOT NULL,
  count bigint NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3),
  is_unseen boolean NOT NULL GENERATED ALWAYS AS (seen_at IS NULL OR last_at > seen_at) STORED,
  sample_id uuid NOT NULL,
  reason text NOT NULL,
  title text NOT NULL,
  place text NOT NULL,
  CONSTRAINT dead_group_pkey PRIMARY KEY (type_id, print)
) WITH (fillfactor = 50);
CREATE INDEX dead_group_unseen ON @dead_group (type_id, first_at DESC) WHERE is_unseen AND print <> 0;

CREATE TABLE @dead_tally (
  type_id integer NOT NULL,
  print bigint NOT NULL,
  count integer NOT NULL,
  deaths integer NOT NULL DEFAULT 0,
  first_at timestamptz(3),
  last_at timestamptz(3),
  task_id uuid,
  reason text,
  error text,
  CONSTRAINT dead_tally_sample CHECK (count < 0 OR (first_at IS NOT NULL AND last_at IS NOT NULL AND task_id IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE @dead_tally REPLICA IDENTITY FULL;

CREATE TABLE @dead_hour (
  type_id integer NOT NULL,
  print bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  deaths integer NOT NULL,
  CONSTRAINT dead_hour_pkey PRIMARY KEY (type_id, print, at)
) WITH (fillfactor = 50);
`;
