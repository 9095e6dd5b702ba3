import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";

/** What was the matter with the cluster, and from when until when. A cause has one open finding. */
@Entity("finding")
@Index("finding_open", ["code", "subject"], { unique: true, where: "until IS NULL" })
@Index("finding_until", ["until"], { where: "until IS NOT NULL" })
export class FindingEntity {
  @PrimaryGeneratedColumn("uuid") id!: string;
  @Column("text") code!: string;
  /** A type's number, a node's boot id; empty: the cluster. */
  @Column("text") subject!: string;
  /** Null: it is about the cluster. */
  @Column("text", { nullable: true }) namespace!: string | null;
  @Column("text") severity!: string;
  @Column("json") facts!: unknown;
  @Column({ type: "timestamptz", precision: 3 }) since!: Date;
  /** When a node last saw its cause. */
  @Column({ name: "seen_at", type: "timestamptz", precision: 3 }) seenAt!: Date;
  @Column({ type: "timestamptz", precision: 3, nullable: true }) until!: Date | null;
}
