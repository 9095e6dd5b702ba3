import { Column, Entity, PrimaryColumn } from "typeorm";

/** What a node's handler wants for the tasks of its type. Rows of dead nodes are deleted. */
@Entity("type_policy")
export class TypePolicyEntity {
  @PrimaryColumn("bigint", { name: "boot_id" }) bootId!: string;
  @PrimaryColumn("integer", { name: "type_id" }) typeId!: number;
  @Column("json") policy!: unknown;
}
