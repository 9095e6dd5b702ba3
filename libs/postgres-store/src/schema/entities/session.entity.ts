import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from "typeorm";

/** A log-in of the page, by the hash of its secret. It needs its key, too: where that is over, so is this. */
@Entity("session")
@Unique("session_hash", ["hash"])
@Index("session_key", ["keyId", "createdAt"])
@Index("session_over", ["overAt"])
export class SessionEntity {
  @PrimaryGeneratedColumn("uuid") id!: string;
  @Column("text") hash!: string;
  @Column("uuid", { name: "key_id" }) keyId!: string;
  @Column({ name: "created_at", type: "timestamptz", precision: 3 }) createdAt!: Date;
  /** It lasts no longer, however much it is used. */
  @Column({ name: "ends_at", type: "timestamptz", precision: 3 }) endsAt!: Date;
  /** When it is over unless it is used before. */
  @Column({ name: "over_at", type: "timestamptz", precision: 3 }) overAt!: Date;
}
