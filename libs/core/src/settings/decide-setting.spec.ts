import { expect, test } from "@jest/globals";
import { NO_LIMIT } from "../ports/limit-store.js";
import { NO_SETTING, type SettableValues } from "../ports/setting-store.js";
import { changedValues, decideSetting } from "./decide-setting.js";

const VALUES: SettableValues = { ...NO_SETTING, ...NO_LIMIT, concurrency: 2, keepDeadMs: 5, maxRunning: 3 };
const KNOWN = { now: 0, type: { namespace: "shop", type: "mail" }, pause: null, pausedKeys: 0, limits: 0 };

test("a setting that a change names is set, and one that the change leaves out or leaves undefined stays", () => {
  const given = { concurrency: undefined, keepDeadMs: null, maxRunning: 5, rate: undefined };
  expect(changedValues(VALUES, given)).toEqual({ ...VALUES, keepDeadMs: null, maxRunning: 5 });
});

test.each([
  ["an open one", null, "unchanged"],
  ["one that ends later", 200, "unchanged"],
  ["one that ends then", 100, "unchanged"],
  ["one that ends sooner", 50, "changed"],
  ["none", undefined, "changed"],
] as const)("a pause that may only lengthen is decided beside %s", (_, until, expected) => {
  const subject = { namespace: "shop", typeId: 7, key: null };
  const change = { kind: "pause", subject, until: 100, reason: "slow", actor: "handler", isOnlyLater: true } as const;
  const pause = until === undefined ? null : { until, reason: "by hand" };
  expect(decideSetting(change, { ...KNOWN, values: VALUES, pause })).toBe(expected);
});

test("a change of settings that leaves everything undefined changes nothing", () => {
  const change = {
    kind: "type",
    typeId: 7,
    values: { concurrency: 2, keepDeadMs: undefined },
    actor: "key:1",
  } as const;
  expect(decideSetting(change, { ...KNOWN, values: VALUES })).toBe("unchanged");
});
