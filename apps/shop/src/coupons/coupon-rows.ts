import type { DataSource, EntityManager } from "typeorm";

type Queries = Pick<EntityManager | DataSource, "query">;

/** Writes a coupon. One that is there is left as it is. */
export async function insertCoupon(
  manager: Queries,
  { couponId, expiresAt }: { couponId: string; expiresAt: Date },
): Promise<void> {
  await manager.query("INSERT INTO shop.coupons (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", [
    couponId,
    expiresAt,
  ]);
}

/** @returns whether the coupon was there to be used */
export async function useCoupon(manager: Queries, couponId: string): Promise<boolean> {
  const [, count]: [unknown[], number] = await manager.query(
    "UPDATE shop.coupons SET status = 'used' WHERE id = $1 AND status = 'unused'",
    [couponId],
  );
  return count === 1;
}

export async function isUnused(manager: Queries, couponId: string): Promise<boolean> {
  const rows: unknown[] = await manager.query("SELECT 1 FROM shop.coupons WHERE id = $1 AND status = 'unused'", [
    couponId,
  ]);
  return rows.length === 1;
}

export async function expireCoupon(manager: Queries, couponId: string): Promise<void> {
  await manager.query("UPDATE shop.coupons SET status = 'expired' WHERE id = $1 AND status = 'unused'", [couponId]);
}
