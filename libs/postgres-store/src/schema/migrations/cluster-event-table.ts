/**
 * What has happened to the cluster: few rows, written seldom and never changed, so each way to read them has an index.
 * The id tells events of one millisecond apart.
 */
export const CLUSTER_EVENTS = `
CREATE TABLE @cluster_event (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3) NOT NULL,
  kind text NOT NULL,
  boot_id bigint,
  label text,
  name text,
  facts jsonb NOT NULL
);
CREATE INDEX cluster_event_at ON @cluster_event (at, id);
CREATE INDEX cluster_event_kind ON @cluster_event (kind, at, id);
CREATE INDEX cluster_event_boot ON @cluster_event (boot_id, at, id);
CREATE INDEX cluster_event_label ON @cluster_event (label, at, id);
`;
