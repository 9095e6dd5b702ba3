import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import type { DelayTask, DelayTaskContext } from "@tickwheel/nestjs";
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

  /** What a handler is given that is called by hand, at a moment that no clock would meet. */
  task<Payload>(payload: Payload, scheduledAt = new Date(0)): DelayTask<Payload> {
    return { payload, scheduledAt } as DelayTask<Payload>;
  }

  /** The same; its transaction completes no task. */
  get context(): DelayTaskContext {
    const transaction = this.dataSource.transaction.bind(this.dataSource) as DelayTaskContext["transaction"];
    return { transaction } as DelayTaskContext;
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await this.postgres.stop();
  }
}
