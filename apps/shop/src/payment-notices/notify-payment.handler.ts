import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import { Merchant } from "./merchant.js";
import { NotifyPayment, type PaymentNotice } from "./notify-payment.task.js";

/** Tells a merchant until it answers "success". Any other answer, and none, is a failed attempt. */
@Injectable()
@DelayTaskHandler(NotifyPayment, { succeeded: (answer: string) => answer === "success" })
export class NotifyPaymentHandler {
  constructor(private readonly merchant: Merchant) {}

  handle({ payload }: DelayTask<PaymentNotice>, context: DelayTaskContext): Promise<string> {
    return this.merchant.tell(payload, context);
  }
}
