import { Column, Entity, PrimaryColumn } from "typeorm";

/** A node: locked FOR KEY SHARE by its claims, FOR UPDATE by whoever ends its right to claim. */
@Entity("node")
export class NodeEntity {
  @PrimaryColumn("bigint", { name: "boot_id" }) bootId!: string;
  @Column("text") label!: string;
  @Column("text") version!: string;
  @Column("text", { array: true }) roles!: string[];
  @Column("integer", { name: "type_ids", array: true }) typeIds!: number[];
  /** `live`, `draining` or `dead`. */
  @Column("text") state!: string;
  @Column({ name: "joined_at", type: "timestamptz", precision: 3 }) joinedAt!: Date;
  /** Of a node that died while its event loop was blocked: what its last beat told of that. */
  @Column("json", { nullable: true }) blocked!: unknown;
}
