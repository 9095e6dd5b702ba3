import { Injectable } from "@nestjs/common";
import { DelayTaskService, type TaskView } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { insertCoupon, useCoupon } from "./coupon-rows.js";
import { COUPON_LIFETIME, ExpireCoupon } from "./expire-coupon.task.js";

/** Coupons that may be used once, for 30 days. */
@Injectable()
export class CouponsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly delayTasks: DelayTaskService,
  ) {}

  /** Issues a coupon with the task that ends it. A call may be repeated. */
  async issue(couponId: string): Promise<TaskView> {
    return this.dataSource.transaction(async (manager) => {
      const options = { delay: COUPON_LIFETIME, key: couponId, onConflict: "return", manager } as const;
      const { task } = await this.delayTasks.schedule(ExpireCoupon, { couponId }, options);
      await insertCoupon(manager, { couponId, expiresAt: task.scheduledAt });
      return task;
    });
  }

  /** @returns false: it was used already, it has expired, or there is none */
  async use(couponId: string): Promise<boolean> {
    return useCoupon(this.dataSource, couponId);
  }
}
