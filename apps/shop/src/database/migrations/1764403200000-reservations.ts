import { taskTrigger } from "@tickwheel/nestjs";
import type { MigrationInterface, QueryRunner } from "typeorm";

const TABLE = `CREATE TABLE shop.reservations (
  id text PRIMARY KEY,
  goods text NOT NULL,
  status text NOT NULL DEFAULT 'held' CHECK (status IN ('held', 'confirmed', 'lapsed'))
)`;

const { up, down } = taskTrigger({
  table: "shop.reservations",
  when: "status <> 'held'",
  type: "reservation.lapse",
  key: "id",
  delay: "15m",
});

/** Reservations, with triggers that call Tickwheel's functions: its schema comes before this. */
export class Reservations1764403200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
    await runner.query("DROP TABLE shop.reservations");
  }
}
