import type { EntityManager } from "typeorm";
import type { Order, OrderStatus } from "./order.entity.js";
import type { PlaceOrderInput } from "./order-input.js";

const COLUMNS = `id, status, timeout_ms AS "timeoutMs", placed_at AS "placedAt", cancel_at AS "cancelAt", closed_at AS "closedAt"`;

/** Inserts an order at the database's time. A concurrent one with the same id is waited for. @returns null when the id is taken */
export async function insertOrder(
  manager: EntityManager,
  { orderId, timeoutMs }: PlaceOrderInput,
): Promise<Order | null> {
  const rows: Order[] = await manager.query(
    `INSERT INTO shop.orders (id, timeout_ms, placed_at, cancel_at)
     SELECT $1, $2::integer, at, at + $2::integer * interval '1 ms'
     FROM (SELECT clock_timestamp() AS at) AS clock
     ON CONFLICT (id) DO NOTHING
     RETURNING ${COLUMNS}`,
    [orderId, timeoutMs],
  );
  return rows[0] ?? null;
}

/** Gives an unpaid order its final status. A concurrent change is waited for. @returns null when the order is not unpaid */
export async function closeOrder(
  manager: EntityManager,
  orderId: string,
  status: Exclude<OrderStatus, "unpaid">,
): Promise<Order | null> {
  const [rows]: [Order[], number] = await manager.query(
    `UPDATE shop.orders SET status = $2, closed_at = clock_timestamp()
     WHERE id = $1 AND status = 'unpaid'
     RETURNING ${COLUMNS}`,
    [orderId, status],
  );
  return rows[0] ?? null;
}
