/**
 * Who did what to more than one task: rows that are written once, in the transaction of the change, and never changed.
 * A change of one task is told by its journal. `before` and `after` have the fields that have changed, and no payload.
 */
export const AUDIT = `
CREATE TABLE @audit (
  id uuid PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  namespace text,
  actor text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  target text COLLATE "C",
  before json,
  after json,
  reason text
);
CREATE INDEX audit_at ON @audit (at, id);
CREATE INDEX audit_target ON @audit (target, at, id) WHERE target IS NOT NULL;
`;
