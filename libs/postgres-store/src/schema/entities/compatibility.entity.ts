import { Column, Entity, PrimaryColumn } from "typeorm";

/** What a node must know to work on this schema: one row. */
@Entity("compatibility")
export class CompatibilityEntity {
  @PrimaryColumn("boolean", { name: "only_row", default: true }) onlyRow!: boolean;
  /** The instant in the name of the oldest migration that a node must know. */
  @Column("bigint", { name: "oldest_migration" }) oldestMigration!: string;
  /** The SHA-256 of the text that made the schema, in hex. */
  @Column("text", { name: "first_schema" }) firstSchema!: string;
}
