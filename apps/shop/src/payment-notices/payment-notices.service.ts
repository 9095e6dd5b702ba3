import { Injectable } from "@nestjs/common";
import { DelayTaskService, type TaskView } from "@tickwheel/nestjs";
import { NotifyPayment, type PaymentNotice } from "./notify-payment.task.js";

/** Tells merchants of payments. */
@Injectable()
export class PaymentNoticesService {
  constructor(private readonly delayTasks: DelayTaskService) {}

  /** Begins to tell the merchant. Calls for an order that is being told of change nothing. */
  async announce(notice: PaymentNotice): Promise<TaskView> {
    const { task } = await this.delayTasks.schedule(NotifyPayment, notice, {
      key: notice.orderId,
      onConflict: "return",
    });
    return task;
  }
}
