import { Injectable } from "@nestjs/common";
import { DelayTaskService } from "@tickwheel/nestjs";
import PQueue from "p-queue";
import { DataSource, type EntityManager } from "typeorm";
import { CONNECTIONS } from "../database/shop-data-source.js";
import { CancelOrder } from "./cancel-order.task.js";
import { Order } from "./order.entity.js";
import type { PlaceOrderInput } from "./order-input.js";
import { insertOrder, payOrder } from "./order-rows.js";
import { OvertakenTask } from "./overtaken-task.entity.js";

/** What became of a wish to place an order. `conflict`: this id is another order's. */
export type Placement = { outcome: "placed"; order: Order } | { outcome: "conflict" };
/** What became of a payment. `too_late`: the order is cancelled. */
export type PaymentOutcome = { outcome: "paid"; order: Order } | { outcome: "too_late" } | { outcome: "not_found" };

/**
 * Under load payments go first: they race against their order's time-out, and a new order's time starts when it is
 * placed.
 */
const PRIORITY = { payment: 1, order: 0 };

/**
 * Places orders and takes payments. Each is one transaction over the shop's row and its task, and may be repeated with
 * the same answer.
 *
 * Order row first, task row second: the handler of `order.cancel` locks in the same order, so the two never wait for
 * each other in a circle. Whichever sets the row's status first wins, and the other finds it set.
 *
 * Callers never take the pool's last connections: however many call, a handler finds one at once and is not late for
 * their sake.
 */
@Injectable()
export class OrdersService {
  private readonly transactions = new PQueue({ concurrency: CONNECTIONS.callers });

  constructor(
    private readonly dataSource: DataSource,
    private readonly delayTasks: DelayTaskService,
  ) {}

  async place(input: PlaceOrderInput): Promise<Placement> {
    return this.inTransaction(PRIORITY.order, async (manager) => {
      const { orderId, timeoutMs } = input;
      const placed = await insertOrder(manager, input);
      if (!placed) {
        const order = await manager.findOneByOrFail(Order, { id: orderId });
        return order.timeoutMs === timeoutMs ? { outcome: "placed", order } : { outcome: "conflict" };
      }
      await this.delayTasks.schedule(CancelOrder, { orderId }, { scheduledAt: placed.cancelAt, key: orderId, manager });
      return { outcome: "placed", order: placed };
    });
  }

  async pay(orderId: string): Promise<PaymentOutcome> {
    return this.inTransaction(PRIORITY.payment, async (manager) => {
      const paid = await payOrder(manager, orderId);
      if (paid) {
        await this.cancelTask(manager, orderId);
        return { outcome: "paid", order: paid };
      }
      const order = await manager.findOneBy(Order, { id: orderId });
      if (!order) return { outcome: "not_found" };
      return order.status === "paid" ? { outcome: "paid", order } : { outcome: "too_late" };
    });
  }

  async find(orderId: string): Promise<Order | null> {
    return this.dataSource.getRepository(Order).findOneBy({ id: orderId });
  }

  private inTransaction<T>(priority: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.add(() => this.dataSource.transaction(work), { priority });
  }

  /**
   * A task that runs already finds the order paid and leaves it alone, so whatever the cancel meets, the payment holds.
   */
  private async cancelTask(manager: EntityManager, orderId: string): Promise<void> {
    const { outcome, task } = await this.delayTasks.cancelByKey(CancelOrder, orderId, { manager });
    if (outcome !== "cancel_requested" || !task?.node) return;
    await manager.insert(OvertakenTask, { orderId, node: task.node, fence: task.fence });
  }
}
