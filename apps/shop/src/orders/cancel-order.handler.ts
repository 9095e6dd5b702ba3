import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler, DelayTaskNode } from "@tickwheel/nestjs";
import { ExecutionLog, type ExecutionName } from "../executions/execution-log.js";
import { CancelOrder, type CancelOrderPayload } from "./cancel-order.task.js";
import { cancelOrder, payOrder } from "./order-rows.js";
import { PaymentProvider } from "./payment-provider.js";

/**
 * Cancels an order that is still unpaid when its time is over, after a last question to the payment provider.
 *
 * The order, the row that tells of the effect and the task's completion are one transaction: an execution that lost its
 * task, or that finds the order paid, has no effect.
 */
@Injectable()
@DelayTaskHandler(CancelOrder)
export class CancelOrderHandler {
  constructor(
    private readonly log: ExecutionLog,
    private readonly provider: PaymentProvider,
    private readonly node: DelayTaskNode,
  ) {}

  async handle(task: DelayTask<CancelOrderPayload>, context: DelayTaskContext): Promise<void> {
    const execution = { orderId: task.payload.orderId, node: this.node.label, fence: context.fence };
    await this.log.started(execution, { attempt: context.attempt, dueAt: task.scheduledAt });
    let outcome: string;
    try {
      outcome = await this.cancelUnlessPaid(execution, context);
    } catch (error) {
      await this.log.ended(execution, error instanceof Error ? error.message : String(error));
      throw error;
    }
    await this.log.ended(execution, outcome);
  }

  private async cancelUnlessPaid(execution: ExecutionName, context: DelayTaskContext): Promise<"cancelled" | "kept"> {
    const isPaid = await this.provider.isPaid(execution.orderId, context.signal);
    return context.transaction(async (manager) => {
      if (!isPaid) return (await cancelOrder(manager, execution)) ? "cancelled" : "kept";
      await payOrder(manager, execution.orderId);
      return "kept";
    });
  }
}
