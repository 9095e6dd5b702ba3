import { type CallerTransaction, TickwheelError } from "@tickwheel/core";
import type { ManagerOption } from "./schedule-options.js";

/**
 * The transaction that a call joins; undefined: none.
 *
 * @param dataSource the application's own, or null
 * @throws TickwheelError `TRANSACTION_UNAVAILABLE`: it runs no statements, or nobody knows whether its transaction is
 *   of the scheduler's own database
 */
export function joinedTransaction(
  { manager }: ManagerOption,
  { dataSource }: { dataSource: unknown },
): CallerTransaction | undefined {
  if (manager === undefined) return undefined;
  if (dataSource === null)
    throw new TickwheelError(
      "TRANSACTION_UNAVAILABLE",
      "A `manager` can be joined only on the application's own DataSource: pass `dataSource` to DelayTaskModule.",
    );
  if (typeof (manager as Partial<CallerTransaction> | null)?.query !== "function")
    throw new TickwheelError(
      "TRANSACTION_UNAVAILABLE",
      "The given `manager` has no method query(sql, parameters): give the EntityManager or QueryRunner of the transaction.",
    );
  return manager;
}
