import { type DynamicModule, Module } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { ActivitiesModule } from "./activities/activities.module.js";
import { CouponsModule } from "./coupons/coupons.module.js";
import { DatabaseModule } from "./database/database.module.js";
import { DevicesModule } from "./devices/devices.module.js";
import { OrdersModule } from "./orders/orders.module.js";
import { PaymentNoticesModule } from "./payment-notices/payment-notices.module.js";
import { PushesModule } from "./pushes/pushes.module.js";
import { RedPacketsModule } from "./red-packets/red-packets.module.js";
import { ReservationsModule } from "./reservations/reservations.module.js";
import { ReleasesModule } from "./releases/releases.module.js";
import { SettlementModule } from "./settlement/settlement.module.js";
import type { ShopOptions } from "./settings.js";
import { UploadsModule } from "./uploads/uploads.module.js";

/**
 * Orders of a node that died are cancelled half a second late at most, for a customer may still be paying: each shop
 * looks this often for orders that are this much overdue, no matter which shop owns them.
 */
const TAKE_OVER = { sweepIntervalMs: 250, stealAfterOverdueMs: 250 };

/**
 * The shop: orders, uploads, smaller examples, a node of the scheduler's cluster in the same process, and the
 * scheduler's API.
 */
@Module({})
export class ShopModule {
  static forRoot({ databaseUrl, redisUrl, paymentProviderUrl, smtpUrl }: ShopOptions): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        DatabaseModule.forRoot(databaseUrl),
        OrdersModule.forRoot(paymentProviderUrl),
        UploadsModule,
        PaymentNoticesModule,
        CouponsModule,
        RedPacketsModule,
        ActivitiesModule,
        PushesModule,
        DevicesModule,
        ReservationsModule,
        SettlementModule,
        ReleasesModule.forRoot(smtpUrl),
        DelayTaskApiModule.forRoot(),
        // Last: its node then drains before the modules above close what handlers use.
        DelayTaskModule.forRootAsync({
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => ({
            dataSource,
            redis: redisUrl,
            ...TAKE_OVER,
            roles: ["api", "engine"],
          }),
        }),
      ],
    };
  }
}
