import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ManualShop } from "../../test-support/manual-shop.js";
import { TestDatabase } from "../../test-support/test-database.js";
import { CouponsModule } from "./coupons.module.js";
import { CouponsService } from "./coupons.service.js";
import { ExpireCouponHandler } from "./expire-coupon.handler.js";

const DAY_MS = 24 * 3_600_000;

describe("a coupon", () => {
  let database: TestDatabase;
  let shop: ManualShop;
  let coupons: CouponsService;

  beforeAll(async () => {
    database = await TestDatabase.start();
  });
  beforeEach(async () => {
    shop = await ManualShop.open({ modules: [CouponsModule], dataSource: database.dataSource });
    coupons = shop.get(CouponsService);
  });
  afterEach(() => shop.close());
  afterAll(() => database?.stop());

  const status = (id: string) => database.value(`SELECT status FROM shop.coupons WHERE id = '${id}'`);

  test("a coupon that nobody uses expires 30 days after it was issued, and not a millisecond earlier", async () => {
    const issuedAt = shop.now;
    const { id, dueAt } = await coupons.issue("a");
    expect(dueAt.getTime() - issuedAt.getTime()).toBe(30 * DAY_MS);
    await shop.goJustBefore(dueAt);
    expect(await status("a")).toBe("unused");
    await shop.goPast(dueAt);
    expect(await status("a")).toBe("expired");
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", reason: null });
    expect(await coupons.use("a")).toBe(false);
  });

  test("a coupon that was used does not expire: its task is skipped", async () => {
    const { id, dueAt } = await coupons.issue("b");
    expect(await coupons.use("b")).toBe(true);
    await shop.goPast(dueAt);
    expect(await status("b")).toBe("used");
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", reason: "SKIPPED" });
  });

  test("a coupon that is used after its task has asked for it stays used", async () => {
    await coupons.issue("d");
    await coupons.use("d");
    await shop.get(ExpireCouponHandler).handle(database.task({ couponId: "d" }), database.context);
    expect(await status("d")).toBe("used");
  });

  test("a coupon is issued once and used once, however often it is asked for", async () => {
    const first = await coupons.issue("c");
    const second = await coupons.issue("c");
    expect(second.id).toBe(first.id);
    expect([await coupons.use("c"), await coupons.use("c"), await coupons.use("none")]).toEqual([true, false, false]);
  });
});
