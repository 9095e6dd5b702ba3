import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DelayTaskService } from "@tickwheel/nestjs";
import { ManualShop } from "../../test-support/manual-shop.js";
import { TestDatabase } from "../../test-support/test-database.js";
import { ActivitiesModule } from "./activities.module.js";
import { ActivitiesService } from "./activities.service.js";
import { ActivityHandlers } from "./activity.handlers.js";

const HOUR_MS = 3_600_000;

describe("an activity", () => {
  let database: TestDatabase;
  let shop: ManualShop;
  let activities: ActivitiesService;

  beforeAll(async () => {
    database = await TestDatabase.start();
  });
  beforeEach(async () => {
    shop = await ManualShop.open({ modules: [ActivitiesModule], dataSource: database.dataSource });
    activities = shop.get(ActivitiesService);
  });
  afterEach(() => shop.close());
  afterAll(() => database?.stop());

  const inHours = (hours: number): Date => new Date(shop.now.getTime() + hours * HOUR_MS);
  const status = (id: string) => database.value(`SELECT status FROM shop.activities WHERE id = '${id}'`);

  async function expectChange(id: string, at: Date, change: { from: string; to: string }): Promise<void> {
    await shop.goJustBefore(at);
    expect(await status(id)).toBe(change.from);
    await shop.goPast(at);
    expect(await status(id)).toBe(change.to);
  }

  test("an activity starts and ends at its instants, and not a millisecond earlier", async () => {
    const startsAt = inHours(1);
    const endsAt = inHours(3);
    expect(await activities.plan({ activityId: "a", startsAt, endsAt })).toBe(true);
    await expectChange("a", startsAt, { from: "planned", to: "running" });
    await expectChange("a", endsAt, { from: "running", to: "over" });
  });

  test("an activity that is moved starts and ends at the new instants alone", async () => {
    const old = { activityId: "b", startsAt: inHours(1), endsAt: inHours(3) };
    const moved = { activityId: "b", startsAt: inHours(2), endsAt: inHours(5) };
    await activities.plan(old);
    await activities.plan(moved);
    await shop.goPast(old.startsAt);
    await expectChange("b", moved.startsAt, { from: "planned", to: "running" });
    await shop.goPast(old.endsAt);
    await expectChange("b", moved.endsAt, { from: "running", to: "over" });
    const { items } = await shop.get(DelayTaskService).find({ key: "b" });
    expect(items.map(({ state }) => state).sort()).toEqual(["cancelled", "cancelled", "succeeded", "succeeded"]);
  });

  test("an activity that is moved while the tasks of its old plan run heeds the new plan alone", async () => {
    const old = { startsAt: inHours(1), endsAt: inHours(3) };
    await activities.plan({ activityId: "e", ...old });
    await activities.plan({ activityId: "e", startsAt: inHours(2), endsAt: inHours(4) });
    const handlers = shop.get(ActivityHandlers);
    await handlers.start(database.task({ activityId: "e" }, old.startsAt), database.context);
    await handlers.end(database.task({ activityId: "e" }, old.endsAt), database.context);
    expect(await status("e")).toBe("planned");
  });

  test("an activity that has begun is not moved", async () => {
    const startsAt = inHours(1);
    const endsAt = inHours(2);
    await activities.plan({ activityId: "c", startsAt, endsAt });
    await shop.goPast(startsAt);
    expect(await activities.plan({ activityId: "c", startsAt: inHours(1), endsAt: inHours(9) })).toBe(false);
    expect(await activities.callOff("c")).toBe(false);
    await expectChange("c", endsAt, { from: "running", to: "over" });
  });

  test("an activity that is called off neither starts nor ends", async () => {
    const startsAt = inHours(1);
    const endsAt = inHours(2);
    await activities.plan({ activityId: "d", startsAt, endsAt });
    expect(await activities.callOff("d")).toBe(true);
    await shop.goPast(endsAt);
    expect(await status("d")).toBe("called off");
    expect(await activities.plan({ activityId: "d", startsAt, endsAt })).toBe(false);
  });
});
