import { beforeEach, expect, test } from "@jest/globals";
import type { FlowLimit, TaskType } from "@tickwheel/core";
import { LimitsInForce, UNLIMITED } from "./limits-in-force.js";

const MAIL = { id: 1, namespace: "shop", type: "mail", delivery: "handler" } as const;
const EXPORT = { ...MAIL, id: 2, type: "export" };
const OWN = { ...MAIL, id: 3, type: "tickwheel.batch" };
const ELSEWHERE = { ...MAIL, id: 4, namespace: "bank" };
const RATE = { count: 100, perMs: 1_000, burst: 20 };

let known: Map<number, TaskType>;
let limits: LimitsInForce;

beforeEach(() => {
  known = new Map([MAIL, EXPORT, OWN, ELSEWHERE].map((type) => [type.id, type]));
  limits = new LimitsInForce((typeId) => known.get(typeId));
});

const limit = (id: number, typeId: number | null, values: Partial<FlowLimit>): FlowLimit => ({
  id,
  namespace: "shop",
  typeId,
  maxRunning: null,
  rate: null,
  changedAt: 0,
  changedBy: "key",
  ...values,
});

test("no type is limited before any limit was set", () => {
  expect([limits.areSet, limits.of(MAIL.id)]).toEqual([false, UNLIMITED]);
});

test("a type has its own limits and those of its namespace; the smaller number counts", () => {
  limits.take([limit(7, MAIL.id, { maxRunning: 5, rate: RATE }), limit(8, null, { maxRunning: 3 })]);
  expect(limits.of(MAIL.id)).toMatchObject({ counted: [7, 8], maxRunning: 3, rated: [{ id: 7 }] });
  expect(limits.of(EXPORT.id)).toMatchObject({ counted: [8], maxRunning: 3, rated: [] });
});

test("a rate limit alone takes no places", () => {
  limits.take([limit(7, MAIL.id, { rate: RATE })]);
  expect(limits.of(MAIL.id)).toMatchObject({ counted: [], maxRunning: Infinity, rated: [{ id: 7 }] });
  expect(limits.of(EXPORT.id)).toBe(UNLIMITED);
});

test("the scheduler's own types and those of other namespaces are not limited", () => {
  limits.take([limit(8, null, { maxRunning: 3 })]);
  expect([limits.of(OWN.id), limits.of(ELSEWHERE.id)]).toEqual([UNLIMITED, UNLIMITED]);
});

test("a type that becomes known later, and limits that become others, are obeyed from then on", () => {
  known.delete(EXPORT.id);
  limits.take([limit(8, null, { maxRunning: 3 })]);
  expect(limits.of(EXPORT.id)).toBe(UNLIMITED);
  known.set(EXPORT.id, EXPORT);
  expect(limits.of(EXPORT.id).counted).toEqual([8]);
  limits.take([]);
  expect(limits.of(EXPORT.id)).toBe(UNLIMITED);
});
