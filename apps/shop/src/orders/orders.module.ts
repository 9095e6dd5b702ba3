import { type DynamicModule, Module } from "@nestjs/common";
import { ExecutionLog } from "../executions/execution-log.js";
import { CancelOrderHandler } from "./cancel-order.handler.js";
import { OrderCount } from "./order-count.js";
import { OrdersController } from "./orders.controller.js";
import { OrdersService } from "./orders.service.js";
import { PaymentProvider } from "./payment-provider.js";

/** Orders, their payments, and the task that cancels those that nobody pays, and the schedule that counts them. */
@Module({})
export class OrdersModule {
  static forRoot(paymentProviderUrl: string): DynamicModule {
    return {
      module: OrdersModule,
      controllers: [OrdersController],
      providers: [
        OrdersService,
        ExecutionLog,
        CancelOrderHandler,
        OrderCount,
        { provide: PaymentProvider, useValue: new PaymentProvider(paymentProviderUrl) },
      ],
    };
  }
}
