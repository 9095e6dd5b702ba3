import { Column, Entity, PrimaryColumn } from "typeorm";

export type OrderStatus = "unpaid" | "paid" | "cancelled";

/** An order. Only an `unpaid` one changes its status, and only once: every UPDATE names the status it expects. */
@Entity({ name: "orders" })
export class Order {
  @PrimaryColumn({ type: "text" })
  id!: string;

  @Column({ type: "text", default: "unpaid" })
  status!: OrderStatus;

  @Column({ name: "timeout_ms", type: "integer" })
  timeoutMs!: number;

  @Column({ name: "placed_at", type: "timestamptz", precision: 3 })
  placedAt!: Date;

  /** When an order that is still unpaid is cancelled. */
  @Column({ name: "cancel_at", type: "timestamptz", precision: 3 })
  cancelAt!: Date;

  /** When it was paid or cancelled. */
  @Column({ name: "closed_at", type: "timestamptz", precision: 3, nullable: true })
  closedAt!: Date | null;
}
