import { Column, Entity, PrimaryGeneratedColumn } from "typeorm";

/** A task that was running when its order's payment was accepted; append-only, written in the payment's transaction. */
@Entity({ name: "overtaken_tasks" })
export class OvertakenTask {
  @PrimaryGeneratedColumn("identity", { type: "bigint" })
  id!: string;

  @Column({ name: "order_id", type: "text" })
  orderId!: string;

  /** Where it was running. */
  @Column({ type: "text" })
  node!: string;

  @Column({ type: "integer" })
  fence!: number;

  @Column({ name: "at", type: "timestamptz", default: () => "clock_timestamp()" })
  at!: Date;
}
