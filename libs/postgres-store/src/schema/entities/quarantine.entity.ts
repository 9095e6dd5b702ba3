import { Column, Entity, PrimaryColumn } from "typeorm";

/** The one place in which suspects run: one row. It is free when the execution that it names runs no more. */
@Entity("quarantine")
export class QuarantineEntity {
  @PrimaryColumn("boolean", { name: "only_row", default: true }) onlyRow!: boolean;
  @Column("uuid", { name: "task_id", nullable: true }) taskId!: string | null;
  @Column("bigint", { nullable: true }) owner!: string | null;
  @Column("integer", { nullable: true }) fence!: number | null;
  @Column({ type: "timestamptz", precision: 3, nullable: true }) since!: Date | null;
}
