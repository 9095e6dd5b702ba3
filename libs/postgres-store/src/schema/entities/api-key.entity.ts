import { Column, Entity, PrimaryGeneratedColumn, Unique } from "typeorm";

/** An API key by its hash. */
@Entity("api_key")
@Unique("api_key_hash", ["hash"])
export class ApiKeyEntity {
  @PrimaryGeneratedColumn("uuid") id!: string;
  @Column("text") hash!: string;
  @Column("text") namespace!: string;
  @Column("text") role!: string;
  @Column("boolean", { default: false }) cluster!: boolean;
  @Column({ name: "expires_at", type: "timestamptz", precision: 3, nullable: true }) expiresAt!: Date | null;
  /** Made at a start, or named by a start's environment. If it has expired, another first key has replaced it. */
  @Column("boolean", { name: "is_first", default: false }) isFirst!: boolean;
}
