import { Column, Entity, Index, PrimaryColumn } from "typeorm";

const instant = { type: "timestamptz", precision: 3 } as const;
const count = { type: "bigint", default: 0 } as const;

/** A batch of tasks. Its members are rows of `task` and `history` with its id. */
@Entity("batch")
@Index("batch_list", ["namespace", "state", "id"])
export class BatchEntity {
  @PrimaryColumn("uuid") id!: string;
  @Column("text") namespace!: string;
  @Column("text", { nullable: true }) name!: string | null;
  @Column("text") state!: string;
  /** What was folded; tallies that were not are in `batch_tally`. */
  @Column(count) total!: string;
  @Column(count) succeeded!: string;
  @Column(count) dead!: string;
  @Column(count) cancelled!: string;
  @Column(count) expired!: string;
  @Column("integer", { nullable: true }) shards!: number | null;
  @Column("json", { name: "on_complete", nullable: true }) onComplete!: unknown;
  @Column("json", { name: "on_success", nullable: true }) onSuccess!: unknown;
  @Column("uuid", { name: "on_complete_id", nullable: true }) onCompleteId!: string | null;
  @Column("uuid", { name: "on_success_id", nullable: true }) onSuccessId!: string | null;
  @Column("boolean", { name: "fail_fast" }) failFast!: boolean;
  @Column("boolean", { name: "retry_dead" }) retryDead!: boolean;
  @Column({ name: "deadline_at", ...instant, nullable: true }) deadlineAt!: Date | null;
  @Column({ name: "deadline_checked_at", ...instant, nullable: true }) deadlineCheckedAt!: Date | null;
  @Column("json", { nullable: true }) leftovers!: unknown;
  @Column({ name: "retrying_since", ...instant, nullable: true }) retryingSince!: Date | null;
  @Column("text", { name: "stop_reason", nullable: true }) stopReason!: string | null;
  @Column({ name: "stopped_at", ...instant, nullable: true }) stoppedAt!: Date | null;
  @Column("text", { name: "stopped_by", nullable: true }) stoppedBy!: string | null;
  @Column("boolean", { default: false }) stopping!: boolean;
  /** A member that was live when it was looked last. */
  @Column("uuid", { nullable: true }) witness!: string | null;
  @Column({ name: "created_at", ...instant }) createdAt!: Date;
  @Column("text", { name: "created_by" }) createdBy!: string;
  @Column({ name: "sealed_at", ...instant, nullable: true }) sealedAt!: Date | null;
  @Column({ name: "finished_at", ...instant, nullable: true }) finishedAt!: Date | null;
}

/** What was counted of a batch's members and is not folded into its row yet. */
@Entity("batch_tally")
@Index("batch_tally_batch", ["batchId"])
export class BatchTallyEntity {
  @PrimaryColumn("uuid", { name: "batch_id" }) batchId!: string;
  @Column("integer", { default: 0 }) total!: number;
  @Column("integer", { default: 0 }) succeeded!: number;
  @Column("integer", { default: 0 }) dead!: number;
  @Column("integer", { default: 0 }) cancelled!: number;
  @Column("integer", { default: 0 }) expired!: number;
}
