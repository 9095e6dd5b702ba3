import { defineTask } from "@tickwheel/nestjs";

/** Ends a coupon. The task's key is the coupon's id. */
export const ExpireCoupon = defineTask<{ couponId: string }>("coupon.expire", { maxAttempts: 10 });

/** How long a coupon may be used. */
export const COUPON_LIFETIME = "30d";
