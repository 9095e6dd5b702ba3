import { Module } from "@nestjs/common";
import { CouponsService } from "./coupons.service.js";
import { ExpireCouponHandler } from "./expire-coupon.handler.js";

/** Coupons, and the task that ends those that nobody uses. */
@Module({ providers: [CouponsService, ExpireCouponHandler], exports: [CouponsService] })
export class CouponsModule {}
