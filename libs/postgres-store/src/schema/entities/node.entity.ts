import { Column, Entity, PrimaryColumn } from "typeorm";

/** A node. Its claims lock the row FOR KEY SHARE; whoever ends its right to claim locks it FOR UPDATE. */
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
  /** When it left, or was declared dead. */
  @Column({ name: "ended_at", type: "timestamptz", precision: 3, nullable: true }) endedAt!: Date | null;
  /** For people; without one, the label. */
  @Column("text", { nullable: true }) name!: string | null;
  /** What the last beat told of a blocked event loop, if the node died while its loop was blocked. */
  @Column("json", { nullable: true }) blocked!: unknown;
}

/** A node that has been dead for long. The tasks that it ran, and their journals, still name it. */
@Entity("former_node")
export class FormerNodeEntity {
  @PrimaryColumn("bigint", { name: "boot_id" }) bootId!: string;
  @Column("text") label!: string;
  @Column({ name: "forgotten_at", type: "timestamptz", precision: 3 }) forgottenAt!: Date;
}
