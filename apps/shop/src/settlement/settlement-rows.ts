import type { DataSource, EntityManager } from "typeorm";

type Queries = Pick<EntityManager | DataSource, "query">;

/** A day that is settled: instants from `from` up to `to`, which does not belong to it. */
export interface SettledDay {
  /** `YYYY-MM-DD` */
  day: string;
  from: Date;
  to: Date;
}

export interface Sum {
  payments: number;
  cents: number;
}

/** Writes a payment. `paidAt` has microseconds: ISO 8601 with offset. A call may be repeated. */
export async function insertPayment(
  manager: Queries,
  { orderId, cents, paidAt }: { orderId: string; cents: number; paidAt: string },
): Promise<void> {
  await manager.query(
    "INSERT INTO shop.payments (order_id, cents, paid_at) VALUES ($1, $2, $3) ON CONFLICT (order_id) DO NOTHING",
    [orderId, cents, paidAt],
  );
}

/** Begins a day's settlement. @returns false: it has begun before */
export async function beginDay(manager: Queries, { day, from, to }: SettledDay): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO shop.settlements (day, starts_at, ends_at) VALUES ($1, $2, $3)
     ON CONFLICT (day) DO NOTHING RETURNING 1`,
    [day, from, to],
  );
  return rows.length > 0;
}

/** The ids of a day's payments, from the first up to behind the last; null: the day has none. */
export async function idsOf(manager: Queries, { from, to }: SettledDay): Promise<{ from: number; to: number } | null> {
  const [row]: { first: string | null; last: string | null }[] = await manager.query(
    "SELECT min(id) AS first, max(id) AS last FROM shop.payments WHERE paid_at >= $1 AND paid_at < $2",
    [from, to],
  );
  return row?.first ? { from: Number(row.first), to: Number(row.last) + 1 } : null;
}

/**
 * Settles the first payments of a day from an id on that are not settled yet. A payment is settled once, no matter
 * which task settles it: the primary key of `settled_payments` says so.
 *
 * @returns the id to go on from; null: there are no more
 */
export async function settlePage(
  manager: Queries,
  { day, from, to, limit }: { day: string; from: number; to: number | null; limit: number },
): Promise<number | null> {
  const rows: { id: string }[] = await manager.query(
    `WITH page AS (
       SELECT p.id, p.cents FROM shop.payments p JOIN shop.settlements s ON s.day = $1
        WHERE p.id >= $2 AND ($3::bigint IS NULL OR p.id < $3) AND p.paid_at >= s.starts_at AND p.paid_at < s.ends_at
        ORDER BY p.id LIMIT $4
     ),
     settled AS (
       INSERT INTO shop.settled_payments (payment_id, day, cents) SELECT id, $1, cents FROM page
       ON CONFLICT (payment_id) DO NOTHING
     )
     SELECT id FROM page ORDER BY id`,
    [day, from, to, limit],
  );
  return rows.length < limit ? null : Number(rows.at(-1)!.id) + 1;
}

/** What of a day is settled, of these ids or of all. */
export async function settledSum(
  manager: Queries,
  { day, from = null, to = null }: { day: string; from?: number | null; to?: number | null },
): Promise<Sum> {
  const [row]: Record<keyof Sum, string>[] = await manager.query(
    `SELECT count(*) AS payments, coalesce(sum(cents), 0) AS cents FROM shop.settled_payments
      WHERE day = $1 AND ($2::bigint IS NULL OR payment_id >= $2) AND ($3::bigint IS NULL OR payment_id < $3)`,
    [day, from, to],
  );
  return { payments: Number(row!.payments), cents: Number(row!.cents) };
}

/** What a day's payments come to, settled or not. */
export async function paidSum(manager: Queries, day: string): Promise<Sum> {
  const [row]: Record<keyof Sum, string>[] = await manager.query(
    `SELECT count(*) AS payments, coalesce(sum(p.cents), 0) AS cents
       FROM shop.settlements s JOIN shop.payments p ON p.paid_at >= s.starts_at AND p.paid_at < s.ends_at
      WHERE s.day = $1`,
    [day],
  );
  return { payments: Number(row!.payments), cents: Number(row!.cents) };
}

/** Writes what a day comes to. @returns false: the day's settlement has not begun */
export async function closeDay(
  manager: Queries,
  { day, settled, missing }: { day: string; settled: Sum; missing: number },
): Promise<void> {
  await manager.query(
    `UPDATE shop.settlements SET payments = $2, cents = $3, missing = $4, compared_at = clock_timestamp()
      WHERE day = $1`,
    [day, settled.payments, settled.cents, missing],
  );
}
