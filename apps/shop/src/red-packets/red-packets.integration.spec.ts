import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DelayTaskService } from "@tickwheel/nestjs";
import { ManualShop } from "../../test-support/manual-shop.js";
import { TestDatabase } from "../../test-support/test-database.js";
import { RedPacketsModule } from "./red-packets.module.js";
import { RedPacketsService } from "./red-packets.service.js";

const DAY_MS = 24 * 3_600_000;

describe("a red packet", () => {
  let database: TestDatabase;
  let shop: ManualShop;
  let packets: RedPacketsService;

  beforeAll(async () => {
    database = await TestDatabase.start();
  });
  beforeEach(async () => {
    shop = await ManualShop.open({ modules: [RedPacketsModule], dataSource: database.dataSource });
    packets = shop.get(RedPacketsService);
  });
  afterEach(() => shop.close());
  afterAll(() => database?.stop());

  const send = async (packetId: string, senderId: string) =>
    (await packets.send({ packetId, senderId, amountCents: 1_000 }))!;
  const balance = (userId: string) =>
    database.value(`SELECT balance_cents::int FROM shop.wallets WHERE user_id = '${userId}'`);

  test("a red packet gives its rest back to the sender after a day, and not a millisecond earlier", async () => {
    const sentAt = shop.now;
    const { id, dueAt } = await send("a", "sender-a");
    expect(dueAt.getTime() - sentAt.getTime()).toBe(DAY_MS);
    expect(await packets.take("a", "friend", 300)).toBe(true);
    await shop.goJustBefore(dueAt);
    expect(await balance("sender-a")).toBeNull();
    await shop.goPast(dueAt);
    expect([await balance("friend"), await balance("sender-a")]).toEqual([300, 700]);
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", result: { refundedCents: 700 } });
    expect(await packets.take("a", "latecomer", 1)).toBe(false);
  });

  test("a red packet is refunded once, also when its task is run again", async () => {
    const { id, dueAt } = await send("b", "sender-b");
    await shop.goPast(dueAt);
    await shop.get(DelayTaskService).retry(id);
    await shop.pass(0);
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", result: { refundedCents: 0 } });
    expect(await balance("sender-b")).toBe(1_000);
  });

  test("a red packet that is empty has nothing to refund: its task is cancelled", async () => {
    const { id, dueAt } = await send("c", "sender-c");
    expect([await packets.take("c", "x", 1_001), await packets.take("c", "x", 1_000)]).toEqual([false, true]);
    await shop.goPast(dueAt);
    expect(await shop.task(id)).toMatchObject({ state: "cancelled" });
    expect(await balance("sender-c")).toBeNull();
  });
});
