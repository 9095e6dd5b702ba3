import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import type { DataSource } from "typeorm";
import { openShopDataSource } from "../src/database/shop-data-source.js";

/** A database with the shop's tables, for the tests of a file. */
export class TestDatabase {
  private constructor(
    private readonly postgres: PostgresService,
    readonly dataSource: DataSource,
  ) {}

  static async start(): Promise<TestDatabase> {
    const postgres = await startPostgres();
    try {
      return new TestDatabase(postgres, await openShopDataSource(postgres.url));
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  /** The only column of the only row; null: there is no row. */
  async value(sql: string): Promise<unknown> {
    const [row]: Record<string, unknown>[] = await this.dataSource.query(sql);
    return row ? Object.values(row)[0] : null;
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await this.postgres.stop();
  }
}
