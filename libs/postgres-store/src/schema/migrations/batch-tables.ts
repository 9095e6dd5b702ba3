/**
 * The part of the first schema for batches: a row for each, and a table of tallies.
 *
 * Members are rows of `task` and `history` that name their batch; each of these tables has an index of members alone.
 * Tallies are only appended, and moved into their batch's row by a fold, so nobody waits for a counter. A batch's row
 * is updated about once a second while its members end: its pages leave room.
 *
 * `batch_look` holds the batches that a look may have to change: a batch leaves it when nothing can happen to it any
 * more. A batch whose members have not all succeeded stays in it as long as its success would have a consequence.
 * `batch_overdue` and `batch_unsealed` hold those that a finding may tell. Neither names a count: what a fold updates
 * each second must be in no index.
 */
export const BATCHES = `
CREATE TABLE @batch (
  id uuid PRIMARY KEY,
  namespace text NOT NULL,
  name text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('filling', 'open', 'complete', 'cancelled')),
  total bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  dead bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  expired bigint NOT NULL DEFAULT 0,
  shards integer,
  on_complete json,
  on_success json,
  on_complete_id uuid,
  on_success_id uuid,
  fail_fast boolean NOT NULL,
  retry_dead boolean NOT NULL,
  deadline_at timestamptz(3),
  deadline_checked_at timestamptz(3),
  leftovers json,
  retrying_since timestamptz(3),
  stop_reason text,
  stopped_at timestamptz(3),
  stopped_by text,
  stopping boolean NOT NULL DEFAULT false,
  witness uuid,
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  sealed_at timestamptz(3),
  finished_at timestamptz(3),
  CONSTRAINT batch_finished CHECK ((state IN ('complete', 'cancelled')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX batch_name ON @batch (namespace, name) WHERE name IS NOT NULL;
CREATE INDEX batch_list ON @batch (namespace, state, id);
CREATE INDEX batch_look ON @batch (id) WHERE state IN ('filling', 'open') OR stopping
  OR (deadline_at IS NOT NULL AND deadline_checked_at IS NULL AND state <> 'cancelled')
  OR (state = 'complete' AND on_success IS NOT NULL AND on_success_id IS NULL);
CREATE INDEX batch_overdue ON @batch (namespace, deadline_checked_at)
  WHERE state <> 'cancelled' AND (leftovers ->> 'count')::bigint > 0;
CREATE INDEX batch_unsealed ON @batch (namespace, created_at) WHERE state = 'filling';
CREATE INDEX batch_finished ON @batch (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE @batch_tally (
  batch_id uuid NOT NULL,
  total integer NOT NULL DEFAULT 0,
  succeeded integer NOT NULL DEFAULT 0,
  dead integer NOT NULL DEFAULT 0,
  cancelled integer NOT NULL DEFAULT 0,
  expired integer NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);
CREATE INDEX batch_tally_batch ON @batch_tally (batch_id);
ALTER TABLE @batch_tally REPLICA IDENTITY FULL;
`;
