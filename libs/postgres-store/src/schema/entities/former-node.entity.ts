import { Column, Entity, PrimaryColumn } from "typeorm";

/** A node that was dead for long: tasks that it ran, and their journals, still name it. */
@Entity("former_node")
export class FormerNodeEntity {
  @PrimaryColumn("bigint", { name: "boot_id" }) bootId!: string;
  @Column("text") label!: string;
  @Column({ name: "forgotten_at", type: "timestamptz", precision: 3 }) forgottenAt!: Date;
}
