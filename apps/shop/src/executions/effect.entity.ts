import { Column, Entity, PrimaryGeneratedColumn } from "typeorm";

/**
 * A cancellation that took effect; append-only, written in the effect's own transaction. Nothing is unique but the row.
 */
@Entity({ name: "effects" })
export class Effect {
  @PrimaryGeneratedColumn("identity", { type: "bigint" })
  id!: string;

  @Column({ name: "order_id", type: "text" })
  orderId!: string;

  @Column({ type: "text" })
  node!: string;

  @Column({ type: "integer" })
  fence!: number;

  @Column({ name: "at", type: "timestamptz", default: () => "clock_timestamp()" })
  at!: Date;
}
