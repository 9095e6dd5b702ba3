import { defineTask } from "@tickwheel/nestjs";

/** What a merchant is told. The task's key is the order's id. */
export interface PaymentNotice {
  orderId: string;
  /** Where the merchant wants to hear of it. The shop checks it when the merchant names it. */
  url: string;
}

/** Tells a merchant that an order is paid: at once, then after 4, 10, 10 minutes, 1, 2, 6 and 15 hours. */
export const NotifyPayment = defineTask<PaymentNotice>("payment.notify", { backoff: "alipay", timeout: "30s" });
