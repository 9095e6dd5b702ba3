import { expect, test } from "@jest/globals";
import { MemoryDatabase } from "../database/memory-database.js";
import { findMemoryTransaction } from "../database/memory-transaction.js";
import { ManualClock } from "../system/manual-clock.js";
import { JointTransactions, noManager, type OpenTransaction } from "./joint-transactions.js";

/** A query runner of TypeORM, as far as its transactions go: an inner one is a savepoint. */
class Runner {
  depth = 0;

  get isTransactionActive(): boolean {
    return this.depth > 0;
  }

  startTransaction(): Promise<void> {
    this.depth++;
    return Promise.resolve();
  }

  commitTransaction(): Promise<void> {
    this.depth--;
    return Promise.resolve();
  }

  rollbackTransaction(): Promise<void> {
    this.depth--;
    return Promise.resolve();
  }
}

function jointWith(open: OpenTransaction | null = null, manager: object = {}): JointTransactions {
  return new JointTransactions(new MemoryDatabase({ clock: new ManualClock(), epochMs: 0 }), open, manager);
}

test("the scheduler's transaction lives as long as the caller's", async () => {
  const joint = jointWith();
  const runner = new Runner();
  await runner.startTransaction();
  const found = joint.find({ queryRunner: runner })!;
  expect(joint.find({ queryRunner: runner })).toBe(found);
  expect(joint.find(runner)).toBe(found);
  await runner.commitTransaction();
  expect(found.isOpen).toBe(false);
  expect(() => joint.find(runner)).toThrow(/no open transaction/);
});

test("a roll-back ends the scheduler's transaction, and the next one of the same connection is another one", async () => {
  const joint = jointWith();
  const runner = new Runner();
  await runner.startTransaction();
  const first = joint.find(runner)!;
  await runner.rollbackTransaction();
  expect(first.isOpen).toBe(false);
  await runner.startTransaction();
  const second = joint.find(runner)!;
  expect(second).not.toBe(first);
  expect(second.isOpen).toBe(true);
});

test("the end of a savepoint is not the end of the scheduler's transaction", async () => {
  const joint = jointWith();
  const runner = new Runner();
  await runner.startTransaction();
  const found = joint.find(runner)!;
  for (const end of ["commitTransaction", "rollbackTransaction"] as const) {
    await runner.startTransaction();
    await runner[end]();
    expect(found.isOpen).toBe(true);
  }
  await runner.commitTransaction();
  expect(found.isOpen).toBe(false);
});

test("a connection without a transaction is refused, and an object that is no connection has none of the scheduler's", () => {
  const joint = jointWith();
  expect(() => joint.find({ queryRunner: new Runner() })).toThrow(/no open transaction/);
  expect(joint.find({ save: () => undefined })).toBeNull();
});

test("the scheduler's transaction around a handler runs in the application's own", async () => {
  const handle = { own: true };
  const joint = jointWith((work) => work(handle as never));
  await joint.run((given) => {
    expect(given).toBe(handle);
    expect(findMemoryTransaction(given)!.isOpen).toBe(true);
    return Promise.resolve();
  });
  expect(findMemoryTransaction(handle)?.isOpen ?? false).toBe(false);
});

test("two handlers at once have a transaction each, also with one fake manager", async () => {
  const joint = jointWith(null, { save: () => "saved" });
  type Fake = { save(): string };
  await joint.run((one) =>
    joint.run((other) => {
      expect([(one as Fake).save(), (other as Fake).save()]).toEqual(["saved", "saved"]);
      expect(findMemoryTransaction(one)).not.toBe(findMemoryTransaction(other));
      return Promise.resolve();
    }),
  );
});

test("any call of a manager that is not there says what to give", () => {
  const manager = noManager("switch to Postgres.") as unknown as { save(): void };
  expect(() => manager.save()).toThrow(/no "save".*forRoot\(\{ manager \}\), or switch to Postgres\./);
});

test("a handler that ends its transaction by hand fails, and nothing of the scheduler's is committed", async () => {
  const runner = new Runner();
  const joint = jointWith(async (work) => {
    await runner.startTransaction();
    return work(runner);
  });
  let ours: ReturnType<typeof findMemoryTransaction> = null;
  const byHand = joint.run(async (handle) => {
    ours = findMemoryTransaction(handle);
    await runner.rollbackTransaction();
  });
  await expect(byHand).rejects.toMatchObject({ code: "TRANSACTION_UNAVAILABLE" });
  expect(ours!.isOpen).toBe(false);
});
