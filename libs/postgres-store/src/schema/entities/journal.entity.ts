import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/**
 * Stored transitions, partitioned by the day on which they were recorded. Transitions that the task's row still tells
 * are not here.
 */
@Entity("journal")
@Index("journal_entry", ["taskId", "seq"])
export class JournalEntity {
  @PrimaryColumn("uuid", { name: "task_id" }) taskId!: string;
  @Column({ name: "recorded_at", type: "timestamptz", precision: 3 }) recordedAt!: Date;
  @Column({ type: "timestamptz", precision: 3 }) at!: Date;
  /** The order within a task, from 1. */
  @PrimaryColumn("integer") seq!: number;
  @Column("integer") fence!: number;
  @Column("integer") attempt!: number;
  @Column("smallint", { name: "from_state", nullable: true }) fromState!: number | null;
  @Column("smallint", { name: "to_state" }) toState!: number;
  /** The node's label. */
  @Column("text", { nullable: true }) node!: string | null;
  @Column("text", { nullable: true }) reason!: string | null;
  @Column("text", { nullable: true }) actor!: string | null;
  /** How many transitions it stands for; null: one. */
  @Column("integer", { nullable: true }) count!: number | null;
  /** Of an end of an execution: when its handler was called. */
  @Column({ name: "started_at", type: "timestamptz", precision: 3, nullable: true }) startedAt!: Date | null;
  /** Of an end of an execution: where the lateness of its start went. */
  @Column("text", { name: "lateness_parts", nullable: true }) latenessParts!: string | null;
  /** Of an attempt that failed. */
  @Column("text", { nullable: true }) error!: string | null;
}
