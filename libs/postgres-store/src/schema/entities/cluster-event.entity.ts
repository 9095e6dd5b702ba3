import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";

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
