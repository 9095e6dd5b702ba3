import { defineTask } from "@tickwheel/nestjs";

/** A day's payments by their ids: from the first up to the last, which does not belong to it. */
export interface PaymentRange {
  /** `YYYY-MM-DD` in the shop's zone. */
  day: string;
  from: number;
  to: number;
}

/** Settles the payments of a day whose ids lie in a range: a member of the day's batch. */
export const SettleRange = defineTask<PaymentRange>("settlement.range", { maxAttempts: 10, timeout: "10m" });

/** Compares what the members have settled with what the day's payments come to. */
export const CompareDay = defineTask<{ day: string }>("settlement.compare", { maxAttempts: 10 });

/** Finds payments of a day that nobody has settled, and settles them. The task's key is the day. */
export const SettleLeftovers = defineTask<{ day: string }>("settlement.leftovers", { maxAttempts: 10, timeout: "10m" });

/** The zone whose days are settled. */
export const ZONE = "Europe/Berlin";

/** How many ids make one member. A day has 1,000 members at most; of a longer day each takes more. */
export const IDS_OF_A_MEMBER = 5_000;

/** How many payments are settled in one transaction. */
export const PAGE = 500;

/** How long after a day is settled its leftovers are looked for. */
export const LEFTOVERS_AFTER = "3d";
