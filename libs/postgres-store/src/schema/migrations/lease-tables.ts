/** The first secret: random bytes of the server. `@` is the schema. */
export const FIRST_SECRET = `
INSERT INTO @claim_secret (id, value, made_at)
SELECT 1, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), clock_timestamp();`;

/**
 * The part of the first schema for pulled tasks. A lease says until when a consumer has a task; it means nothing unless
 * the task runs under its fence. A table that is full of dead rows would make each look at the oldest leases dear, so
 * it is vacuumed early.
 *
 * With `claim_secret` all nodes sign and read the tokens of claims. The newest one signs.
 */
export const LEASES = `
CREATE TABLE @lease (
  task_id uuid PRIMARY KEY,
  fence integer NOT NULL,
  until_at timestamptz(3) NOT NULL,
  consumer text NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);
CREATE INDEX lease_until ON @lease (until_at);

CREATE TABLE @claim_secret (
  id smallint PRIMARY KEY CHECK (id BETWEEN 1 AND 255),
  value bytea NOT NULL,
  made_at timestamptz(3) NOT NULL
);
${FIRST_SECRET}
`;
