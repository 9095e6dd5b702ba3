import { Column, PrimaryColumn } from "typeorm";

const instant = { type: "timestamptz", precision: 3 } as const;

/** The columns that the live table and history share. `Task` of `@tickwheel/core` says what they mean. */
export abstract class TaskColumns {
  @PrimaryColumn("uuid") id!: string;
  @Column({ name: "scheduled_at", ...instant }) scheduledAt!: Date;
  @Column({ name: "due_at", ...instant }) dueAt!: Date;
  @Column({ name: "start_deadline_at", ...instant, nullable: true }) startDeadlineAt!: Date | null;
  @Column({ name: "created_at", ...instant }) createdAt!: Date;
  @Column({ name: "claimed_at", ...instant, nullable: true }) claimedAt!: Date | null;
  @Column({ name: "started_at", ...instant, nullable: true }) startedAt!: Date | null;
  @Column({ name: "finished_at", ...instant, nullable: true }) finishedAt!: Date | null;
  @Column({ name: "cancel_requested_at", ...instant, nullable: true }) cancelRequestedAt!: Date | null;
  /** A boot id; beyond 2^53, so it is text here. */
  @Column("bigint", { nullable: true }) owner!: string | null;
  @Column("bigint", { name: "timeout_ms" }) timeoutMs!: string;
  @Column("integer", { name: "type_id" }) typeId!: number;
  @Column("integer", { default: 1 }) version!: number;
  @Column("integer", { default: 0 }) fence!: number;
  @Column("integer", { default: 0 }) attempt!: number;
  @Column("integer", { name: "max_attempts" }) maxAttempts!: number;
  /** How often an open breaker put it off. */
  @Column("integer", { name: "defer_count", default: 0 }) deferCount!: number;
  /** How many rows of the journal are stored. 0: this row tells the whole journal. */
  @Column("integer", { name: "journal_count", default: 0 }) journalCount!: number;
  @Column("smallint") slot!: number;
  /** See `STATE`. */
  @Column("smallint") state!: number;
  @Column("smallint", { name: "crash_count", default: 0 }) crashCount!: number;
  /** How often its handler has put it off. */
  @Column("smallint", { name: "snooze_count", default: 0 }) snoozeCount!: number;
  @Column("smallint") priority!: number;
  @Column("boolean", { name: "key_live" }) keyLive!: boolean;
  @Column("text", { nullable: true }) key!: string | null;
  @Column("text", { nullable: true }) reason!: string | null;
  @Column("text", { name: "created_by" }) createdBy!: string;
  @Column("text", { name: "cancelled_by", nullable: true }) cancelledBy!: string | null;
  @Column("text", { name: "last_error", nullable: true }) lastError!: string | null;
  /** Null: the default. */
  @Column("json", { nullable: true }) backoff!: unknown;
  @Column("json", { nullable: true }) payload!: unknown;
  @Column("json", { nullable: true }) delivery!: unknown;
  @Column("json", { nullable: true }) result!: unknown;
  /** Entries of the journal that are not stored: changes of the task while it waits, folded. */
  @Column("jsonb", { nullable: true }) notes!: unknown;
  @Column({ name: "wait_until", ...instant, nullable: true }) waitUntil!: Date | null;
  @Column("uuid", { nullable: true }) continues!: string | null;
  @Column("uuid", { name: "continued_by", nullable: true }) continuedBy!: string | null;
  /** Null: none. */
  @Column("text", { array: true, nullable: true }) tags!: string[] | null;
  @Column({ name: "paused_at", ...instant, nullable: true }) pausedAt!: Date | null;
  /** Null: it was never paused. */
  @Column("bigint", { name: "paused_ms", nullable: true }) pausedMs!: string | null;
  @Column("uuid", { name: "batch_id", nullable: true }) batchId!: string | null;
  @Column("integer", { name: "shard_index", nullable: true }) shardIndex!: number | null;
  @Column("integer", { name: "shard_total", nullable: true }) shardTotal!: number | null;
  /** Where the lateness of the last start went: see `latenessPartsText`. Null: not measured. */
  @Column("text", { name: "lateness_parts", nullable: true }) latenessParts!: string | null;
}
