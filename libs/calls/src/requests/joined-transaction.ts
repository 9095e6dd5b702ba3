import { type CallerTransaction, TickwheelError } from "@tickwheel/core";
import type { TransactionAdapter } from "../transactions/transaction-adapter.js";
import type { ManagerOption } from "./task-options.js";

/**
 * The transaction that a call joins; undefined: none.
 *
 * @param transactions of the application's own library, or null
 * @throws TickwheelError `TRANSACTION_UNAVAILABLE`: it runs no statements, or nobody knows whether its transaction is
 *   of the scheduler's own database
 */
export function joinedTransaction(
  { manager }: ManagerOption,
  { transactions }: { transactions: TransactionAdapter | null },
): CallerTransaction | undefined {
  if (manager === undefined) return undefined;
  if (transactions === null)
    throw new TickwheelError(
      "TRANSACTION_UNAVAILABLE",
      "A `manager` can be joined only on the application's own database: pass `dataSource` or `transactions` to DelayTaskModule.",
    );
  return transactions.statements(manager);
}
