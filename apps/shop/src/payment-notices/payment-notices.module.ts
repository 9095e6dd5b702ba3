import { Module } from "@nestjs/common";
import { Merchant } from "./merchant.js";
import { NotifyPaymentHandler } from "./notify-payment.handler.js";
import { PaymentNoticesService } from "./payment-notices.service.js";

/** Merchants hear of payments, until they have understood. */
@Module({ providers: [Merchant, NotifyPaymentHandler, PaymentNoticesService], exports: [PaymentNoticesService] })
export class PaymentNoticesModule {}
