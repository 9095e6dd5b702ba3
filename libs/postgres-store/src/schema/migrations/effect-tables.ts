/**
 * The part of the first schema for what handlers leave behind: their steps, and a report with checkpoint and progress.
 *
 * Rows outlive their task's way into history, and are deleted once the task is gone. The indexes by time find those
 * that may be: an update never changes `created_at`, so that a progress can be a HOT update, for which the pages of
 * reports leave room.
 */
export const EFFECTS = `
CREATE TABLE @step (
  task_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  result json,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT step_pkey PRIMARY KEY (task_id, name)
);
CREATE INDEX step_created ON @step (created_at, task_id);

CREATE TABLE @handler_report (
  task_id uuid PRIMARY KEY,
  created_at timestamptz(3) NOT NULL,
  checkpoint_at timestamptz(3),
  progress_at timestamptz(3),
  progress double precision,
  note text,
  checkpoint json
) WITH (fillfactor = 70);
CREATE INDEX handler_report_created ON @handler_report (created_at, task_id);
`;
