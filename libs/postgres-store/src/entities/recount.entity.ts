import { Column, Entity, PrimaryColumn } from "typeorm";

/** A span whose counters are to be counted anew from the rows, once. */
@Entity("recount")
export class RecountEntity {
  @PrimaryColumn({ type: "timestamptz", precision: 3 }) at!: Date;
  @PrimaryColumn("smallint", { name: "span_minutes" }) spanMinutes!: number;
  /** Null: not yet. Later it keeps late tallies out. */
  @Column({ name: "counted_at", type: "timestamptz", precision: 3, nullable: true }) countedAt!: Date | null;
}
