import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { LogInTries } from "./log-in-tries.js";

/** Null: it was taken; else the seconds until the next one is. */
function retryAfterS(tries: LogInTries, address: string): number | null {
  try {
    tries.take(address);
    return null;
  } catch (error) {
    return (error as TickwheelError).details["retryAfterS"] as number;
  }
}
const taken = (tries: LogInTries, address: string, count: number): number =>
  Array.from({ length: count }, () => retryAfterS(tries, address)).filter((seconds) => seconds === null).length;

test("an address may fail to log in ten times in a minute, and is told when it may try again", async () => {
  const clock = new ManualClock();
  const tries = new LogInTries(clock);
  expect(taken(tries, "10.0.0.1", 12)).toBe(10);
  await clock.advance(20_500);
  expect([retryAfterS(tries, "10.0.0.1"), retryAfterS(tries, "10.0.0.2")]).toEqual([40, null]);
  await clock.advance(39_500);
  expect(taken(tries, "10.0.0.1", 12)).toBe(10);
});

test("a caller that logs in with a key may do so as often as they like", () => {
  const tries = new LogInTries(new ManualClock());
  for (let count = 0; count < 100; count++) {
    expect(retryAfterS(tries, "10.0.0.1")).toBeNull();
    tries.giveBack("10.0.0.1");
  }
});

test.each([
  ["2001:db8::1", "2001:db8::2:3", true],
  ["2001:db8:0:0:1::", "2001:db8::ffff:0:0:1", true],
  ["2001:db8::1", "2001:db8:0:1::1", false],
  ["fe80::1%eth0", "fe80::2", true],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.2", false],
  ["::1", "::2", true],
])("failed log-ins from %s and %s each count for the other: %j", (one, other, isSame) => {
  const tries = new LogInTries(new ManualClock());
  expect(taken(tries, one, 10)).toBe(10);
  expect(taken(tries, other, 1)).toBe(isSame ? 0 : 1);
});

test("thousands of addresses take bounded memory: the address that began first is forgotten first", () => {
  const tries = new LogInTries(new ManualClock());
  taken(tries, "first", 10);
  for (let number = 0; number < 9_999; number++) tries.take(`address ${number}`);
  expect(taken(tries, "first", 1)).toBe(0);
  tries.take("one more");
  expect(taken(tries, "first", 1)).toBe(1);
});
