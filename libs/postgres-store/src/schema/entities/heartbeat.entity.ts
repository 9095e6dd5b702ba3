import { Column, Entity, PrimaryColumn } from "typeorm";

/** A node's beat, in a row of its own, so that beats never touch the row that claims lock. */
@Entity("heartbeat")
export class HeartbeatEntity {
  @PrimaryColumn("bigint", { name: "boot_id" }) bootId!: string;
  @Column("bigint") beat!: string;
  @Column("json") vitals!: unknown;
}
