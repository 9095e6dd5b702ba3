import type { Batch, BatchState, BatchStopReason, EpochMs, FollowUp, Leftover } from "@tickwheel/core";
import type { QuotedSchema, RawRow } from "../connection/session.js";
import { countsNow, tallied } from "./batch-sql.js";
import { epochMs } from "./sql-fragments.js";
import { readInstant, readJson, readOptionalInstant, readText } from "./task-rows.js";

const INSTANTS = [
  "created_at",
  "sealed_at",
  "finished_at",
  "deadline_at",
  "deadline_checked_at",
  "retrying_since",
  "stopped_at",
] as const;

const FIELDS = [
  "b.id::text AS id",
  "b.namespace",
  "b.name",
  "b.state",
  "b.shards",
  "b.fail_fast",
  "b.retry_dead",
  "b.stop_reason",
  "b.stopped_by",
  "b.stopping",
  "b.created_by",
  "b.leftovers::text AS leftovers",
  "b.on_complete::text AS on_complete",
  "b.on_success::text AS on_success",
  "b.on_complete_id::text AS on_complete_id",
  "b.on_success_id::text AS on_success_id",
  ...INSTANTS.map((column) => `${epochMs(`b.${column}`)} AS ${column}`),
];

/** `SELECT … FROM … b`, whole batches with their counts as they are now; conditions on `b` may follow. */
export function selectBatches(schema: QuotedSchema, source = `${schema}.batch`): string {
  return `SELECT ${FIELDS.join(", ")}, ${countsNow()} FROM ${source} b ${tallied(schema)}`;
}

/** A row of {@link selectBatches}. */
export function readBatchRow(row: RawRow): Batch {
  return {
    id: row.id as string,
    namespace: row.namespace as string,
    name: readText(row.name),
    state: row.state as BatchState,
    counts: {
      total: Number(row.total),
      succeeded: Number(row.succeeded),
      dead: Number(row.dead),
      cancelled: Number(row.cancelled),
      expired: Number(row.expired),
    },
    shards: row.shards === null ? null : Number(row.shards),
    createdAt: readInstant(row.created_at),
    createdBy: row.created_by as string,
    sealedAt: readOptionalInstant(row.sealed_at),
    finishedAt: readOptionalInstant(row.finished_at),
    ...rulesOf(row),
    ...standingOf(row),
  };
}

function rulesOf(row: RawRow) {
  return {
    onComplete: followUpOf(row.on_complete),
    onSuccess: followUpOf(row.on_success),
    deadlineAt: readOptionalInstant(row.deadline_at),
    failFast: row.fail_fast as boolean,
    retryDead: row.retry_dead as boolean,
  };
}

function standingOf(row: RawRow) {
  return {
    deadlineCheckedAt: readOptionalInstant(row.deadline_checked_at),
    leftovers: readJson(row.leftovers) as unknown as { count: number; named: Leftover[] } | null,
    retryingSince: readOptionalInstant(row.retrying_since),
    stop: stopOf(row),
    isStopping: row.stopping as boolean,
    onCompleteId: readText(row.on_complete_id),
    onSuccessId: readText(row.on_success_id),
  };
}

function stopOf(row: RawRow): { reason: BatchStopReason; at: EpochMs; by: string } | null {
  if (row.stop_reason === null) return null;
  const at = readInstant(row.stopped_at);
  return { reason: row.stop_reason as BatchStopReason, at, by: row.stopped_by as string };
}

function followUpOf(value: unknown): FollowUp | null {
  return readJson(value) as unknown as FollowUp | null;
}
