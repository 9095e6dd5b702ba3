import { expect, test } from "@jest/globals";
import type { Pause, TaskType } from "@tickwheel/core";
import { SettingsInForce } from "./settings-in-force.js";

const REVISION = { timeline: 1, number: 7 };
const TYPES: readonly TaskType[] = [
  { id: 1, namespace: "shop", type: "mail", delivery: "handler" },
  { id: 2, namespace: "shop", type: "tickwheel.review", delivery: "handler" },
  { id: 3, namespace: "other", type: "mail", delivery: "handler" },
];

const paused = (subject: Partial<Pause>): Pause => ({
  namespace: "shop",
  typeId: null,
  key: null,
  pausedAt: 0,
  until: null,
  reason: null,
  pausedBy: "key:1",
  ...subject,
});

function inForce(pauses: readonly Pause[], nowMs = 1_000): { settings: SettingsInForce; at(ms: number): void } {
  let now = nowMs;
  const dbClock = { earliestMs: () => now };
  const settings = new SettingsInForce({ dbClock, typeOf: (typeId) => TYPES.find(({ id }) => id === typeId) });
  settings.take({ revision: REVISION, types: [], limits: [], pauses });
  return { settings, at: (ms) => void (now = ms) };
}

test("a paused namespace pauses its types, but not the scheduler's own, and no other namespace's", () => {
  const { settings } = inForce([paused({})]);
  expect([1, 2, 3, 4].map((typeId) => settings.isPaused(typeId))).toEqual([true, false, false, false]);
});

test("a pause with an end is over when the database's time has surely reached it, and not before", () => {
  const { settings, at } = inForce([paused({ typeId: 1, until: 5_000 }), paused({ typeId: 3, until: 9_000 })]);
  expect(settings.nextEnd()).toBe(5_000);
  at(4_999);
  expect(settings.isPaused(1)).toBe(true);
  at(5_000);
  expect([settings.isPaused(1), settings.isPaused(3), settings.nextEnd()]).toEqual([false, true, 9_000]);
});

test("a paused key pauses its tasks, and no type", () => {
  const { settings, at } = inForce([paused({ typeId: 1, key: "a", until: 5_000 })]);
  expect(settings.isPaused(1)).toBe(false);
  expect(settings.pauseOfTask({ typeId: 1, key: "a" })).toMatchObject({ key: "a" });
  expect(settings.pauseOfTask({ typeId: 1, key: "b" })).toBeNull();
  expect(settings.pauseOfTask({ typeId: 1, key: null })).toBeNull();
  at(5_000);
  expect(settings.pauseOfTask({ typeId: 1, key: "a" })).toBeNull();
});

test("settings that are taken replace all settings that were known", () => {
  const { settings } = inForce([paused({ typeId: 1 })]);
  const setting = {
    typeId: 3,
    concurrency: 5,
    keepSucceededMs: null,
    keepCancelledMs: null,
    keepDeadMs: null,
    changedAt: 0,
    changedBy: "x",
  };
  settings.take({
    revision: REVISION,
    types: [setting, { ...setting, typeId: 1, concurrency: null }],
    limits: [],
    pauses: [],
  });
  expect([settings.isPaused(1), settings.concurrencyOf(3), settings.concurrencyOf(1)]).toEqual([false, 5, undefined]);
  settings.take({ revision: REVISION, types: [], limits: [], pauses: [] });
  expect(settings.concurrencyOf(3)).toBeUndefined();
});

test("a success is forgotten where it is to be kept for no time at all, and nowhere else", () => {
  const { settings } = inForce([]);
  const kept = (typeId: number, keepSucceededMs: number | null) => ({
    typeId,
    concurrency: null,
    keepSucceededMs,
    keepCancelledMs: null,
    keepDeadMs: 3_600_000,
    changedAt: 0,
    changedBy: "x",
  });
  settings.take({ revision: REVISION, types: [kept(1, 0), kept(2, null), kept(3, 3_600_000)], limits: [], pauses: [] });
  expect([1, 2, 3, 4].map((typeId) => settings.isForgotten(typeId))).toEqual([true, false, false, false]);
  settings.take({ revision: REVISION, types: [kept(1, null)], limits: [], pauses: [] });
  expect(settings.isForgotten(1)).toBe(false);
});

test("a cancelled task is forgotten where it is to be kept for no time at all, and nowhere else", () => {
  const { settings } = inForce([]);
  const kept = (typeId: number, keepCancelledMs: number | null) => ({
    typeId,
    concurrency: null,
    keepSucceededMs: 0,
    keepCancelledMs,
    keepDeadMs: null,
    changedAt: 0,
    changedBy: "x",
  });
  settings.take({ revision: REVISION, types: [kept(1, 0), kept(2, null), kept(3, 3_600_000)], limits: [], pauses: [] });
  expect(settings.forgottenCancels()).toEqual([1]);
  settings.take({ revision: REVISION, types: [kept(1, null)], limits: [], pauses: [] });
  expect(settings.forgottenCancels()).toEqual([]);
});
