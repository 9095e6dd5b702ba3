import { Injectable } from "@nestjs/common";
import { DataSource } from "typeorm";

/**
 * Goods that are held for 15 minutes, unless somebody confirms. There is no call of the scheduler: the triggers of the
 * table make the task and cancel it, in the transaction that writes the row, no matter what writes it.
 */
@Injectable()
export class ReservationsService {
  constructor(private readonly dataSource: DataSource) {}

  /** A call may be repeated. */
  async hold(id: string, goods: string): Promise<void> {
    const hold = "INSERT INTO shop.reservations (id, goods) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
    await this.dataSource.query(hold, [id, goods]);
  }

  /** @returns false: it was not held any more */
  async confirm(id: string): Promise<boolean> {
    const confirm = "UPDATE shop.reservations SET status = 'confirmed' WHERE id = $1 AND status = 'held'";
    const [, count]: [unknown[], number] = await this.dataSource.query(confirm, [id]);
    return count === 1;
  }
}
