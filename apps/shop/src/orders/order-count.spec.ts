import { expect, test } from "@jest/globals";
import type { DelayTask } from "@tickwheel/nestjs";
import type { DataSource } from "typeorm";
import { OrderCount } from "./order-count.js";

test("the count of orders tells how many are in each state, also for a state that no order is in", async () => {
  const rows = [
    { status: "paid", count: 7 },
    { status: "unpaid", count: 2 },
  ];
  const orders = new OrderCount({ query: () => Promise.resolve(rows) } as Partial<DataSource> as DataSource);
  const occurrenceAt = new Date("2026-01-01T00:00:05Z");
  expect(await orders.count({} as DelayTask, { occurrenceAt })).toEqual({
    at: "2026-01-01T00:00:05.000Z",
    unpaid: 2,
    paid: 7,
    cancelled: 0,
  });
});
