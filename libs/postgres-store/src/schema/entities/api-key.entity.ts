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
  /** Of a start: made there, or named by its environment. Expired: replaced by another one. */
  @Column("boolean", { name: "is_first", default: false }) isFirst!: boolean;
}
