import { expect, test } from "@jest/globals";
import { HostClock, monoMs } from "./host-clock.js";

test("the host's clock agrees with the wall clock and the monotonic one, and does not drift", () => {
  const clock = HostClock.read();
  const before = Date.now();
  const now = clock.now();
  const after = Date.now();
  expect(now).toBeGreaterThan(before - 0.5);
  expect(now).toBeLessThan(after + 1.5);
  const first = monoMs();
  const told = clock.now() - clock.offsetMs;
  const last = monoMs();
  // Sums of epoch milliseconds are exact to a few tenths of a microsecond.
  expect(told).toBeGreaterThan(first - 0.001);
  expect(told).toBeLessThan(last + 0.001);
  expect(Math.abs(clock.driftMs())).toBeLessThan(0.5);
});
