import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** A schedule: its definition in force, and how far it is planned. A deleted one is kept for a while, for its runs. */
@Entity("schedule")
@Index("schedule_name", ["namespace", "name"], { unique: true, where: "deleted_at IS NULL" })
@Index("schedule_in_code", ["namespace", "name"], { where: "deleted_at IS NULL AND application IS NOT NULL" })
@Index("schedule_look", ["lookAt"], { where: "look_at IS NOT NULL" })
@Index("schedule_zone_rules", ["zoneRules"], { where: "zone_rules IS NOT NULL AND deleted_at IS NULL" })
@Index("schedule_standing", ["standing", "typeId", "name"], { where: "deleted_at IS NULL" })
@Index("schedule_out_of_force", ["namespace", "standing", "name"], {
  where: "deleted_at IS NULL AND standing <> 'IN_FORCE'",
})
@Index("schedule_gone", ["deletedAt"], { where: "deleted_at IS NOT NULL" })
export class ScheduleEntity {
  @PrimaryColumn("uuid") id!: string;
  @Column("text") namespace!: string;
  @Column("text") name!: string;
  @Column("integer", { name: "type_id" }) typeId!: number;
  @Column("integer") revision!: number;
  @Column("json", { nullable: true }) payload!: unknown;
  /** Spec, zone, window, exclusions and policies. */
  @Column("json") definition!: unknown;
  @Column("json", { name: "task_options" }) taskOptions!: unknown;
  /** Null: it was made by a call, not by an application's code. */
  @Column("text", { nullable: true }) application!: string | null;
  @Column("text", { nullable: true }) hash!: string | null;
  @Column({ name: "created_at", type: "timestamptz", precision: 3 }) createdAt!: Date;
  @Column({ name: "changed_at", type: "timestamptz", precision: 3 }) changedAt!: Date;
  @Column("text", { name: "created_by" }) createdBy!: string;
  @Column("text", { name: "changed_by" }) changedBy!: string;
  @Column({ name: "planned_until", type: "timestamptz", precision: 3 }) plannedUntil!: Date;
  @Column({ name: "settled_until", type: "timestamptz", precision: 3 }) settledUntil!: Date;
  /** When planning looks at it again; null: never. */
  @Column({ name: "look_at", type: "timestamptz", precision: 3, nullable: true }) lookAt!: Date | null;
  /** The tzdata under which the occurrence that is ahead was planned; null: no zone decides about it. */
  @Column("text", { name: "zone_rules", nullable: true }) zoneRules!: string | null;
  /** Instants that wait, failures in a row, a pause and who said what of it, whether it is finished. */
  @Column("json") planning!: unknown;
  /** The reason of its pause, or `IN_FORCE`, or `FINISHED`; Postgres derives it from `planning`. */
  @Column({ name: "standing", type: "text", insert: false, update: false }) standing!: string;
  /** The number of its newest run. */
  @Column("bigint", { name: "last_seq" }) lastSeq!: string;
  @Column({ name: "deleted_at", type: "timestamptz", precision: 3, nullable: true }) deletedAt!: Date | null;
}

/** A schedule in an application's code, as nodes announce it. */
@Entity("schedule_announcement")
export class ScheduleAnnouncementEntity {
  @PrimaryColumn("text") namespace!: string;
  @PrimaryColumn("text") name!: string;
  @PrimaryColumn("text") application!: string;
  @PrimaryColumn("text") hash!: string;
  @Column("json") content!: unknown;
  /** The nodes that announce it. */
  @Column("bigint", { name: "boot_ids", array: true }) bootIds!: string[];
  @Column({ name: "first_seen_at", type: "timestamptz", precision: 3 }) firstSeenAt!: Date;
  /** Until when a node that announces it no more is known to have announced it. */
  @Column({ name: "left_at", type: "timestamptz", precision: 3 }) leftAt!: Date;
}
