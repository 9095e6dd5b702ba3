import type { EpochMs } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { now } from "../../sql/sql-fragments.js";

/** Seals a filling batch whose row this transaction has locked. Plan: one probe of the primary key. */
export const sealBatch: Statement<{ id: string; asOf: EpochMs | null }, never> = {
  name: "seal_batch",
  sql: (schema) => `
    UPDATE ${schema}.batch SET state = 'open', sealed_at = clock.now FROM (SELECT ${now("$1")} AS now) clock
     WHERE id = $2::uuid AND state = 'filling'`,
  values: ({ id, asOf }) => [asOf, id],
  read: (row) => row as never,
};

/**
 * Cancels a batch that this transaction has locked: its members are taken back afterwards, in rounds. A batch that
 * stops for a reason of its own keeps that reason.
 */
export const cancelBatch: Statement<{ id: string; actor: string; asOf: EpochMs | null }, never> = {
  name: "cancel_batch",
  sql: (schema) => `
    UPDATE ${schema}.batch b
       SET state = 'cancelled', finished_at = clock.now, stopping = true, retrying_since = NULL,
           stop_reason = coalesce(b.stop_reason, 'REQUESTED'), stopped_at = coalesce(b.stopped_at, clock.now),
           stopped_by = coalesce(b.stopped_by, $3)
      FROM (SELECT ${now("$1")} AS now) clock
     WHERE b.id = $2::uuid AND b.state IN ('filling', 'open')`,
  values: ({ id, actor, asOf }) => [asOf, id, actor],
  read: (row) => row as never,
};

/** Ends the retries of a batch's dead members. */
export const endRetries: Statement<{ id: string }, never> = {
  name: "end_batch_retries",
  sql: (schema) => `UPDATE ${schema}.batch SET retrying_since = NULL WHERE id = $1::uuid`,
  values: ({ id }) => [id],
  read: (row) => row as never,
};
