import type { PausedKey } from "@tickwheel/core";
import { arrayRows, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import {
  CLAIMABLE,
  claimed,
  type ClaimRow,
  type ClaimTasks,
  held,
  keyValues,
  me,
  p,
  paused,
  readClaim,
  STOPPED,
  values,
} from "./claim-parts.js";

export interface ClaimBesidePausedKeys extends ClaimTasks {
  pausedKeys: readonly PausedKey[];
}

/**
 * The claim: it alone decides who runs a task. It is one statement, so one transaction in one round trip.
 *
 * `me` locks the node row `FOR KEY SHARE`. It waits while somebody holds the row `FOR UPDATE`, and then *checks the
 * state again on the newest version*: a node that was declared dead or began to drain meanwhile finds no row and claims
 * nothing. Conversely, a death verdict waits for this statement's commit. A join on the node's state alone would be no
 * fence, since it reads the statement's old snapshot. Everything else depends on `me`, so no task is locked and no
 * clock is read before it.
 *
 * `picked` is materialised (a sub-select with SKIP LOCKED may be run again and take more) and locks each row in its
 * newest version.
 *
 * The reply is sent while the locks are still held, so it is kept small: a paused client that does not read it would
 * keep its node row locked.
 *
 * Plan: one probe of the primary key per id, twice. The ids are joined, not compared with ANY. With ANY the planner
 * would guess their number, find each single claim cheaper than that guess and plan it anew, which costs twice as much
 * as running it. About 150,000 rows/s.
 */
export const claimTasks: Statement<ClaimTasks, ClaimRow> = {
  name: "claim_tasks",
  sql: (schema) => `
    WITH ${me(schema)},
    clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now FROM me),
    picked AS MATERIALIZED (
      SELECT t.id, clock.now FROM clock CROSS JOIN ${arrayRows(p.ids)} JOIN ${schema}.task t ON t.id = r.id
       WHERE ${CLAIMABLE}
         FOR UPDATE OF t SKIP LOCKED
    ),
    ${claimed(schema)}`,
  values,
  read: readClaim,
};

/**
 * The claim where keys of its types may be paused: a task of a paused key becomes paused, and the others are claimed.
 *
 * `paused` locks the rows of the pauses. So it waits for a transaction that is ending one, and then sees that it has
 * ended; and an end waits for this claim, so each pause that a claim applies was there before the end. The clock is
 * read after that. The tasks of a key that is paused by no row any more are claimed. An occurrence of a schedule is not
 * paused [paused-key].
 *
 * Plan: that of the claim, and a probe of the index of pauses for each key.
 */
export const claimBesidePausedKeys: Statement<ClaimBesidePausedKeys, ClaimRow> = {
  name: "claim_beside_paused_keys",
  sql: (schema) => `
    WITH ${me(schema)},
    ${paused(schema)},
    found AS MATERIALIZED (
      SELECT t.id, clock.now, s.paused_by
        FROM clock CROSS JOIN ${arrayRows(p.ids)} JOIN ${schema}.task t ON t.id = r.id
        LEFT JOIN paused s ON ${STOPPED}
       WHERE ${CLAIMABLE}
         FOR UPDATE OF t SKIP LOCKED
    ),
    ${held(schema)},
    picked AS MATERIALIZED (SELECT id, now FROM found WHERE paused_by IS NULL),
    ${claimed(schema)}`,
  values: (request) => [...values(request), ...keyValues(request)],
  read: readClaim,
};
