import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** What became of a schedule's instants: an occurrence, or a stretch of instants that did not run. */
@Entity("schedule_run")
@Index("schedule_run_by_task", ["taskId"], { unique: true, where: "task_id IS NOT NULL" })
@Index("schedule_run_open", ["scheduleId"], { where: "ended_at IS NULL" })
@Index("schedule_run_last", ["scheduleId", "endedAt", "seq"], {
  where: "ended_at IS NOT NULL AND kind IN ('spec', 'trigger')",
})
export class ScheduleRunEntity {
  @PrimaryColumn("uuid", { name: "schedule_id" }) scheduleId!: string;
  @PrimaryColumn("bigint") seq!: string;
  /** `spec`, `trigger`, `backfill`; `skip`: instants that did not run. */
  @Column("text") kind!: string;
  /** Its instant; of skipped ones the first. */
  @Column({ type: "timestamptz", precision: 3 }) at!: Date;
  /** The last of the skipped instants. */
  @Column({ type: "timestamptz", precision: 3, nullable: true }) until!: Date | null;
  /** How many instants a run stands in for; of skipped ones how many they are. */
  @Column("integer") missed!: number;
  @Column("boolean", { name: "has_missed_more" }) hasMissedMore!: boolean;
  @Column({ name: "stood_for", type: "timestamptz", precision: 3, nullable: true }) stoodFor!: Date | null;
  @Column("uuid", { name: "task_id", nullable: true }) taskId!: string | null;
  @Column({ name: "due_at", type: "timestamptz", precision: 3, nullable: true }) dueAt!: Date | null;
  @Column({ name: "started_at", type: "timestamptz", precision: 3, nullable: true }) startedAt!: Date | null;
  /** As of tasks. Null: it is not concluded, or nobody knows how it ended. */
  @Column("smallint", { nullable: true }) state!: number | null;
  @Column("text", { nullable: true }) reason!: string | null;
  @Column("integer", { nullable: true }) attempt!: number | null;
  @Column("integer", { name: "max_attempts", nullable: true }) maxAttempts!: number | null;
  /** Null: it is not concluded. */
  @Column({ name: "ended_at", type: "timestamptz", precision: 3, nullable: true }) endedAt!: Date | null;
}
