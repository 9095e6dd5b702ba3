import { Column, Entity, PrimaryColumn } from "typeorm";

/** The newest view: one row; number 0 before the first. */
@Entity("view")
export class ViewEntity {
  @PrimaryColumn("boolean", { name: "only_row", default: true }) onlyRow!: boolean;
  @Column("bigint") number!: string;
  @Column("bigint") term!: string;
  @Column("json") nodes!: unknown;
  @Column({ name: "published_at", type: "timestamptz", precision: 3 }) publishedAt!: Date;
}
