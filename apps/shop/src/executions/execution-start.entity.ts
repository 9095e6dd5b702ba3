import { Column, Entity, PrimaryGeneratedColumn } from "typeorm";

/** An execution of `order.cancel` that began; append-only. Nothing is unique but the row, so a double shows. */
@Entity({ name: "execution_starts" })
export class ExecutionStart {
  @PrimaryGeneratedColumn("identity", { type: "bigint" })
  id!: string;

  @Column({ name: "order_id", type: "text" })
  orderId!: string;

  @Column({ type: "text" })
  node!: string;

  @Column({ type: "integer" })
  fence!: number;

  @Column({ type: "integer" })
  attempt!: number;

  /** What the task was scheduled for. */
  @Column({ name: "due_at", type: "timestamptz", precision: 3 })
  dueAt!: Date;

  @Column({ name: "at", type: "timestamptz", default: () => "clock_timestamp()" })
  at!: Date;
}
