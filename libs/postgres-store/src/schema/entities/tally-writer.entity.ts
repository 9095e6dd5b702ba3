import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * A node that counts, and when it last wrote its tallies. The row with number 0 and no label says when any node last
 * kept the counters.
 */
@Entity("tally_writer")
export class TallyWriterEntity {
  @PrimaryColumn("bigint") id!: string;
  /** The node's `ip:pid`. */
  @Column("text") label!: string;
  @Column({ name: "wrote_at", type: "timestamptz", precision: 3 }) wroteAt!: Date;
}
