import { type DynamicModule, Module } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { DatabaseModule } from "./database/database.module.js";
import { OrdersModule } from "./orders/orders.module.js";
import type { ShopSettings } from "./settings.js";

/** Connections of the scheduler's hot path, beside the shop's own eight. */
const TASK_POOL_SIZE = 6;

/** Others' orders are cancelled once they are this late: within two seconds in all when a node dies, for somebody may still be paying. */
const STEAL_AFTER_OVERDUE_MS = 800;

/** The shop: orders, a node of the scheduler's cluster in the same process, and the scheduler's API. */
@Module({})
export class ShopModule {
  static forRoot({ databaseUrl, redisUrl, paymentProviderUrl }: ShopSettings): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        DatabaseModule.forRoot(databaseUrl),
        OrdersModule.forRoot(paymentProviderUrl),
        DelayTaskApiModule.forRoot(),
        // Last: its node then drains before the modules above close what handlers use.
        DelayTaskModule.forRootAsync({
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => ({
            dataSource,
            redis: redisUrl,
            poolSize: TASK_POOL_SIZE,
            stealAfterOverdueMs: STEAL_AFTER_OVERDUE_MS,
            roles: ["api", "engine"],
          }),
        }),
      ],
    };
  }
}
