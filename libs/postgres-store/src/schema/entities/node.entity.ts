import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from "typeorm";

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

/** Something that has happened to the cluster. Kept for a week. */
@Entity("cluster_event")
@Index("cluster_event_at", ["at", "id"])
@Index("cluster_event_kind", ["kind", "at", "id"])
@Index("cluster_event_boot", ["bootId", "at", "id"])
@Index("cluster_event_label", ["label", "at", "id"])
export class ClusterEventEntity {
  @PrimaryGeneratedColumn("identity", { type: "bigint", generatedIdentity: "ALWAYS" }) id!: string;
  @Column({ type: "timestamptz", precision: 3 }) at!: Date;
  @Column("text") kind!: string;
  /** The node; null: the event is about several. */
  @Column("bigint", { name: "boot_id", nullable: true }) bootId!: string | null;
  @Column("text", { nullable: true }) label!: string | null;
  @Column("text", { nullable: true }) name!: string | null;
  @Column("jsonb") facts!: unknown;
}
