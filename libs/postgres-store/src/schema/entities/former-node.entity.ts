import { Column, Entity, PrimaryColumn } from "typeorm";

/** A node that has been dead for long. The tasks that it ran, and their journals, still name it. */
@Entity("former_node")
export class FormerNodeEntity {
  @PrimaryColumn("bigint", { name: "boot_id" }) bootId!: string;
  @Column("text") label!: string;
  @Column({ name: "forgotten_at", type: "timestamptz", precision: 3 }) forgottenAt!: Date;
}
