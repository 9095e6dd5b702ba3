import { Column, Entity, PrimaryColumn } from "typeorm";

/** A task that runs in quarantine: its loop was blocked when its node died, or two nodes died with it. */
@Entity("suspect")
export class SuspectEntity {
  @PrimaryColumn("uuid", { name: "task_id" }) taskId!: string;
  /** How often its loop was blocked when its node died, in its account of then. */
  @Column("smallint") kills!: number;
  @Column({ name: "killed_at", type: "timestamptz", precision: 3 }) killedAt!: Date;
}
