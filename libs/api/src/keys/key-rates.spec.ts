import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { KeyRates } from "./key-rates.js";

function called(rates: KeyRates, id: string, times: number): void {
  for (let time = 0; time < times; time++) rates.count(id);
}

test("a key's calls of the last minute are told by the second, each key's apart", async () => {
  const clock = new ManualClock();
  const rates = new KeyRates(clock);
  called(rates, "a", 120);
  called(rates, "b", 3);
  expect(["a", "b", "none"].map((id) => rates.perSecond(id))).toEqual([2, 0.05, 0]);
  await clock.advance(59_999);
  called(rates, "a", 60);
  expect(rates.perSecond("a")).toBe(3);
});

test("a key's calls of more than a minute ago fade, and are nothing after two minutes", async () => {
  const clock = new ManualClock();
  const rates = new KeyRates(clock);
  called(rates, "a", 120);
  await clock.advance(90_000);
  expect(rates.perSecond("a")).toBe(1);
  called(rates, "a", 60);
  expect(rates.perSecond("a")).toBe(2);
  await clock.advance(90_000);
  expect(rates.perSecond("a")).toBe(0);
  called(rates, "a", 60);
  expect(rates.perSecond("a")).toBe(1);
});

test("thousands of keys take bounded memory: the key whose minute began first is forgotten first", () => {
  const rates = new KeyRates(new ManualClock());
  called(rates, "first", 60);
  for (let number = 0; number < 9_999; number++) rates.count(`key ${number}`);
  expect(rates.perSecond("first")).toBe(1);
  rates.count("one more");
  expect([rates.perSecond("first"), rates.perSecond("one more")]).toEqual([0, 0.02]);
});
