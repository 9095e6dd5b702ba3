import { Column, Entity, PrimaryColumn } from "typeorm";

/** A task that runs in quarantine: its loop was blocked when its node died, or two nodes died with it. */
@Entity("suspect")
export class SuspectEntity {
  @PrimaryColumn("uuid", { name: "task_id" }) taskId!: string;
  /** How often the task's node died with a blocked loop, within the account of that time. */
  @Column("smallint") kills!: number;
  @Column({ name: "killed_at", type: "timestamptz", precision: 3 }) killedAt!: Date;
}
