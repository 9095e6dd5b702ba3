import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { Deadlines } from "./deadlines.js";

test("Deadlines calls late entries within a second of their time, and none that ended before", async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, 5_000);
  const late: string[] = [];
  deadlines.start(() => late.push("first"));
  const over = deadlines.start(() => late.push("second"));
  await clock.advance(3_000);
  deadlines.start(() => late.push("third"));
  deadlines.end(over);
  await clock.advance(3_000);
  expect(late).toEqual(["first"]);
  await clock.advance(3_000);
  expect(late).toEqual(["first", "third"]);
});

test("Deadlines looks again after a time in which nothing was open", async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, 2_000);
  const late: string[] = [];
  deadlines.end(deadlines.start(() => late.push("first")));
  await clock.advance(10_000);
  deadlines.start(() => late.push("second"));
  await clock.advance(3_000);
  expect(late).toEqual(["second"]);
});
