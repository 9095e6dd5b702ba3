import { Column, Entity, PrimaryGeneratedColumn } from "typeorm";

/** An execution of `order.cancel` that ended, however it did; append-only. One whose node died has none. */
@Entity({ name: "execution_ends" })
export class ExecutionEnd {
  @PrimaryGeneratedColumn("identity", { type: "bigint" })
  id!: string;

  @Column({ name: "order_id", type: "text" })
  orderId!: string;

  @Column({ type: "text" })
  node!: string;

  @Column({ type: "integer" })
  fence!: number;

  /** `cancelled`, `kept`, or the error's message. */
  @Column({ type: "text" })
  outcome!: string;

  @Column({ name: "at", type: "timestamptz", default: () => "clock_timestamp()" })
  at!: Date;
}
