import { Column, Entity, PrimaryColumn } from "typeorm";

/** The leader's term: one row. */
@Entity("term")
export class TermEntity {
  @PrimaryColumn("boolean", { name: "only_row", default: true }) onlyRow!: boolean;
  @Column("bigint") term!: string;
  @Column("bigint", { nullable: true }) holder!: string | null;
  @Column("bigint") beat!: string;
}
