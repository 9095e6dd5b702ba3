import type { CallerTransaction } from "@tickwheel/core";
import { foreignHandle, hasMethod } from "./foreign-handle.js";
import type { TransactionAdapter } from "./transaction-adapter.js";

/** A DataSource of TypeORM, as far as it is used here. */
export interface TypeormDataSource<Manager> {
  transaction<T>(work: (manager: Manager) => Promise<T>): Promise<T>;
}

/** The transactions of TypeORM: those of a module with the option `dataSource`. */
export function typeormTransactions<Manager extends CallerTransaction>(
  dataSource: TypeormDataSource<Manager>,
): TransactionAdapter<Manager> {
  return {
    run: (work) => dataSource.transaction(work),
    statements: (manager) => {
      if (hasMethod(manager, "query")) return manager;
      throw foreignHandle(
        "has no method query(sql, parameters)",
        "the EntityManager or QueryRunner of the transaction",
      );
    },
  };
}
