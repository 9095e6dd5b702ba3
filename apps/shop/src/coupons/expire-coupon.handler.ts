import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler, type PayloadOf } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { expireCoupon, isUnused } from "./coupon-rows.js";
import { ExpireCoupon } from "./expire-coupon.task.js";

/** Ends a coupon that nobody has used. The task of a used one is skipped. */
@Injectable()
@DelayTaskHandler(ExpireCoupon, {
  condition(this: ExpireCouponHandler, { payload }) {
    return isUnused(this.dataSource, payload.couponId);
  },
})
export class ExpireCouponHandler {
  constructor(readonly dataSource: DataSource) {}

  async handle({ payload }: DelayTask<PayloadOf<typeof ExpireCoupon>>, context: DelayTaskContext): Promise<void> {
    // It may be used between the condition and this statement, which has the last word.
    await context.transaction((manager) => expireCoupon(manager, payload.couponId));
  }
}
