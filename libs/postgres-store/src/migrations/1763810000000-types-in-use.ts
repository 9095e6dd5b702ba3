import type { MigrationInterface, QueryRunner } from "typeorm";
import { quoteSchema } from "../session.js";
import { DEFAULT_SCHEMA } from "../postgres-database.js";

/** When a type was last seen in use, and since when it is dropped. Null of a type from before: it counts as used from the first look on. */
export class TypesInUse1763810000000 implements MigrationInterface {
  readonly name = "TypesInUse1763810000000";

  async up(runner: QueryRunner): Promise<void> {
    const { schema } = runner.dataSource.options as { schema?: string };
    const type = `${quoteSchema(schema ?? DEFAULT_SCHEMA)}.type`;
    await runner.query(`ALTER TABLE ${type} ADD COLUMN IF NOT EXISTS used_at timestamptz(3)`);
    await runner.query(`ALTER TABLE ${type} ADD COLUMN IF NOT EXISTS dropped_at timestamptz(3)`);
  }

  /** Migrations go forward only. */
  down(): Promise<void> {
    return Promise.reject(new Error("Tickwheel's migrations go forward only"));
  }
}
