import { Column, Entity, PrimaryColumn } from "typeorm";

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
