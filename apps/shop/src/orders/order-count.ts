import { Injectable } from "@nestjs/common";
import { ClusterInterval, type DelayTask, type DelayTaskContext } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";

/** How many orders there are in each state. It is the result of the run, as the dashboard shows it. */
export interface CountedOrders {
  /** The instant that the run was for. */
  at: string;
  unpaid: number;
  paid: number;
  cancelled: number;
}

/** Counts the orders every few seconds: once in the whole cluster, however many shops there are. */
@Injectable()
export class OrderCount {
  constructor(private readonly dataSource: DataSource) {}

  @ClusterInterval("5s", { name: "orders.count" })
  async count(_task: DelayTask, { occurrenceAt }: Pick<DelayTaskContext, "occurrenceAt">): Promise<CountedOrders> {
    const rows: { status: "unpaid" | "paid" | "cancelled"; count: number }[] = await this.dataSource.query(
      "SELECT status, count(*)::int AS count FROM shop.orders GROUP BY status",
    );
    const counted = { at: occurrenceAt!.toISOString(), unpaid: 0, paid: 0, cancelled: 0 };
    for (const { status, count } of rows) counted[status] = count;
    return counted;
  }
}
