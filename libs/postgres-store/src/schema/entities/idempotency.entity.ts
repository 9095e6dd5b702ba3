import { Column, Entity, PrimaryColumn } from "typeorm";

/** What a create with an idempotency key did, for 24 hours. */
@Entity("idempotency")
export class IdempotencyEntity {
  /** The slot of the key's hash. */
  @PrimaryColumn("smallint") slot!: number;
  @PrimaryColumn("text") namespace!: string;
  @PrimaryColumn("text") key!: string;
  @Column("text", { name: "body_hash" }) bodyHash!: string;
  /** Null only inside the transaction that writes it. */
  @Column("json", { nullable: true }) outcomes!: unknown;
  @Column({ name: "created_at", type: "timestamptz", precision: 3 }) createdAt!: Date;
}
