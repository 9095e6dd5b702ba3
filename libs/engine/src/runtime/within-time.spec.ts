import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { withinTime } from "./within-time.js";

/** A call whose answer comes after `replyMs`, and how it is taken. */
async function taken(replyMs: number, how: "resolve" | "reject" = "resolve"): Promise<unknown> {
  const clock = new ManualClock();
  const call = () =>
    new Promise<string>((resolve, reject) => {
      clock.setTimer(replyMs, () => (how === "resolve" ? resolve("reply") : reject(new Error("refused"))));
    });
  const outcomes: unknown[] = [];
  void withinTime(clock, 100, call).then(
    (value) => outcomes.push(value),
    (error: unknown) => outcomes.push(error),
  );
  await clock.advance(1_000);
  expect(clock.pendingTimers).toBe(0);
  return outcomes;
}

describe("a reply of the store", () => {
  test("a reply of the store that comes in time is returned unchanged", async () => {
    expect(await taken(99)).toEqual(["reply"]);
    expect(await taken(99, "reject")).toMatchObject([{ message: "refused" }]);
  });

  test("a reply of the store that comes too late is discarded, whatever it holds", async () => {
    const tooLate = [{ code: "STORE_UNAVAILABLE", message: "no reply from the store within 100 ms" }];
    expect(await taken(101)).toMatchObject(tooLate);
    expect(await taken(101, "reject")).toMatchObject(tooLate);
  });
});
