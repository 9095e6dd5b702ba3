import { Column, Entity, PrimaryColumn } from "typeorm";

/** A node that counts, and when it last wrote what it had counted. */
@Entity("tally_writer")
export class TallyWriterEntity {
  @PrimaryColumn("bigint") id!: string;
  /** The node's `ip:pid`. */
  @Column("text") label!: string;
  @Column({ name: "wrote_at", type: "timestamptz", precision: 3 }) wroteAt!: Date;
}
