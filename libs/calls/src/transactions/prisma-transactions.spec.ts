import { expect, test } from "@jest/globals";
import { type PrismaTransaction, prismaTransactions } from "./prisma-transactions.js";

/** A transaction whose statements fail with this. */
function failsWith(error: object): Promise<unknown> {
  const handle: PrismaTransaction = { $queryRawUnsafe: () => Promise.reject(error as Error) };
  const client = { $transaction: <T>(work: (transaction: PrismaTransaction) => Promise<T>) => work(handle) };
  return prismaTransactions(client).statements(handle).query("SELECT 1", []);
}

function ofDriver(cause: object): object {
  return { code: "P2010", meta: { driverAdapterError: { cause } } };
}

test("an answer of the server through Prisma has its SQLSTATE, and names what refused it", async () => {
  const cause = {
    kind: "UniqueConstraintViolation",
    originalCode: "23505",
    originalMessage: "duplicate key",
    constraint: { index: "task_key" },
    table: "task",
  };
  await expect(failsWith(ofDriver(cause))).rejects.toMatchObject({
    code: "23505",
    message: "duplicate key",
    constraint: "task_key",
    table: "task",
  });
});

test("a connection of Prisma's that was lost is told as a lost one", async () => {
  await expect(failsWith(ofDriver({ kind: "ConnectionClosed" }))).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("a transaction of Prisma's that is over is unavailable", async () => {
  await expect(failsWith({ code: "P2028" })).rejects.toMatchObject({
    code: "TRANSACTION_UNAVAILABLE",
    message: expect.stringContaining("over"),
  });
});

test("no code of Prisma's own is taken for a SQLSTATE", async () => {
  const error = { code: "P2024" };
  await expect(failsWith(error)).rejects.toMatchObject({ code: undefined, cause: error });
});
