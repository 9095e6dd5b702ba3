import type { EntityManager } from "typeorm";

/** Money that a user sends to others, who take shares of it. */
export interface RedPacket {
  packetId: string;
  senderId: string;
  /** In cents. */
  amountCents: number;
}

/** @returns false: the packet is there already */
export async function insertRedPacket(
  manager: EntityManager,
  { packetId, senderId, amountCents }: RedPacket,
): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO shop.red_packets (id, sender_id, amount_cents) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [packetId, senderId, amountCents],
  );
  return rows.length === 1;
}

/** Takes a share out of an open packet. @returns what is left in it; null: it is closed, or has not so much */
export async function takeShare(manager: EntityManager, packetId: string, cents: number): Promise<number | null> {
  const [rows]: [{ leftCents: number }[], number] = await manager.query(
    `UPDATE shop.red_packets SET taken_cents = taken_cents + $2
     WHERE id = $1 AND status = 'open' AND taken_cents + $2 <= amount_cents
     RETURNING amount_cents - taken_cents AS "leftCents"`,
    [packetId, cents],
  );
  return rows[0]?.leftCents ?? null;
}

/** Closes an open packet. @returns what nobody took, and whose it is; null: the packet is not open */
export async function closeRedPacket(
  manager: EntityManager,
  packetId: string,
): Promise<{ senderId: string; cents: number } | null> {
  const [rows]: [{ senderId: string; cents: number }[], number] = await manager.query(
    `UPDATE shop.red_packets SET status = 'closed'
     WHERE id = $1 AND status = 'open'
     RETURNING sender_id AS "senderId", amount_cents - taken_cents AS cents`,
    [packetId],
  );
  return rows[0] ?? null;
}

export async function addToWallet(manager: EntityManager, userId: string, cents: number): Promise<void> {
  await manager.query(
    `INSERT INTO shop.wallets AS wallet (user_id, balance_cents) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET balance_cents = wallet.balance_cents + EXCLUDED.balance_cents`,
    [userId, cents],
  );
}
