/**
 * The part of the first schema for pulled tasks. A lease says until when a consumer has a task; it means nothing unless
 * the task runs under its fence. A table that is full of dead rows would make each look at the oldest leases dear, so
 * it is vacuumed early.
 */
export const LEASES = `
CREATE TABLE @lease (
  task_id uuid PRIMARY KEY,
  fence integer NOT NULL,
  until_at timestamptz(3) NOT NULL,
  consumer text NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);
CREATE INDEX lease_until ON @lease (until_at);
`;
