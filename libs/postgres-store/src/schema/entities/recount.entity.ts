import { Column, Entity, PrimaryColumn } from "typeorm";

/** A span whose counters are to be counted anew from the rows, once. */
@Entity("recount")
export class RecountEntity {
  @PrimaryColumn({ type: "timestamptz", precision: 3 }) at!: Date;
  @PrimaryColumn("smallint", { name: "span_minutes" }) spanMinutes!: number;
  /** From then on the span takes no more tallies: it is counted from the rows. */
  @Column({ name: "closed_at", type: "timestamptz", precision: 3, nullable: true }) closedAt!: Date | null;
  @Column({ name: "counted_at", type: "timestamptz", precision: 3, nullable: true }) countedAt!: Date | null;
}
