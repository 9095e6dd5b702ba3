import { beforeEach, expect, test } from "@jest/globals";
import type { SettingChange } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { TypeDeferrals } from "./type-deferrals.js";

const MAIL = { id: 1, namespace: "shop" };
const BILL = { id: 2, namespace: "shop" };
const revision = { timeline: 1, number: 1 };

let asked: SettingChange[];
let answers: (() => void)[];
let isAway: boolean;
let deferrals: TypeDeferrals;
const clock = new ManualClock();

beforeEach(() => {
  [asked, answers, isAway] = [[], [], false];
  deferrals = new TypeDeferrals({
    dbClock: { nowMs: () => 1_000.4 },
    health: new Health(clock, new RecordingTelemetry()),
    service: {
      begin: (change) => {
        asked.push(change);
        if (isAway) return Promise.reject(new Error("away"));
        return new Promise((resolve) => answers.push(() => resolve(revision)));
      },
    },
  });
});

const endsOf = (): unknown[] => asked.map((change) => ("until" in change ? change.until : null));

test("a type is paused until the end that its handler asks for, unless a pause is there that ends later", () => {
  deferrals.ask(MAIL, { forMs: 500, reason: "slow down" });
  const subject = { namespace: "shop", typeId: 1, key: null };
  const expected = { kind: "pause", subject, until: 1_501, reason: "slow down", actor: "handler", isOnlyLater: true };
  expect(asked).toEqual([expected]);
});

test("the latest end that handlers ask for during a write is written, once; types do not wait for each other", async () => {
  for (const forMs of [500, 900, 700]) deferrals.ask(MAIL, { forMs, reason: null });
  deferrals.ask(BILL, { forMs: 100, reason: null });
  expect(endsOf()).toEqual([1_501, 1_101]);
  answers[0]!();
  await clock.settle();
  expect(endsOf()).toEqual([1_501, 1_101, 1_901]);
});

test("a handler's pause of its type that cannot be written is lost, and the next one is written", async () => {
  isAway = true;
  deferrals.ask(MAIL, { forMs: 500, reason: null });
  await clock.settle();
  isAway = false;
  deferrals.ask(MAIL, { forMs: 600, reason: null });
  expect(endsOf()).toEqual([1_501, 1_601]);
});
