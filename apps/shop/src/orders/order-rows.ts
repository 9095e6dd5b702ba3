import type { EntityManager } from "typeorm";
import type { ExecutionName } from "../executions/execution-log.js";
import type { Order } from "./order.entity.js";
import type { PlaceOrderInput } from "./order-input.js";

const COLUMNS = `id, status, timeout_ms AS "timeoutMs", placed_at AS "placedAt", cancel_at AS "cancelAt", closed_at AS "closedAt"`;

/**
 * Inserts an order at the database's time. A concurrent one with the same id is waited for. @returns null when the id
 * is taken
 */
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

/** Marks an unpaid order paid. A concurrent change is waited for. @returns null when the order is not unpaid */
export async function payOrder(manager: EntityManager, orderId: string): Promise<Order | null> {
  const [rows]: [Order[], number] = await manager.query(
    `UPDATE shop.orders SET status = 'paid', closed_at = clock_timestamp()
     WHERE id = $1 AND status = 'unpaid'
     RETURNING ${COLUMNS}`,
    [orderId],
  );
  return rows[0] ?? null;
}

/**
 * Cancels an unpaid order and writes down which execution did. A concurrent change is waited for.
 *
 * @returns whether the order was unpaid
 */
export async function cancelOrder(manager: EntityManager, { orderId, node, fence }: ExecutionName): Promise<boolean> {
  const effects: unknown[] = await manager.query(
    `WITH cancelled AS (
       UPDATE shop.orders SET status = 'cancelled', closed_at = clock_timestamp()
       WHERE id = $1 AND status = 'unpaid'
       RETURNING id
     )
     INSERT INTO shop.effects (order_id, node, fence) SELECT id, $2, $3::integer FROM cancelled
     RETURNING id`,
    [orderId, node, fence],
  );
  return effects.length > 0;
}
