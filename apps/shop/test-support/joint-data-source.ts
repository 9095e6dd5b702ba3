import type { MemoryDatabase } from "@tickwheel/testing";
import type { DataSource, EntityManager } from "typeorm";

/**
 * The shop's database and the scheduler's. In production they are one. Here a transaction of the shop carries one of
 * the scheduler's in memory: both commit, or both are rolled back.
 */
export class JointDataSource {
  constructor(
    private readonly shop: Pick<DataSource, "query" | "transaction">,
    private readonly scheduler: MemoryDatabase,
  ) {}

  query(sql: string, parameters?: unknown[]): Promise<unknown> {
    return this.shop.query(sql, parameters);
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.shop.transaction((manager) =>
      this.scheduler.transaction((transaction) => {
        const query = (sql: string, parameters?: unknown[]): Promise<unknown> => manager.query(sql, parameters);
        return work(Object.assign(transaction, { query }) as object as EntityManager);
      }),
    );
  }
}
