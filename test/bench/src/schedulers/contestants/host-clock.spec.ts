import { expect, test } from "@jest/globals";
import { HostClock, monoMs } from "./host-clock.js";

test("the host's clock agrees with the wall clock and the monotonic one, and does not drift", () => {
  const clock = HostClock.read();
  const [before, now, after] = [Date.now(), clock.now(), Date.now()];
  expect(now).toBeGreaterThan(before - 0.5);
  expect(now).toBeLessThan(after + 1.5);
  expect(Math.abs(monoMs() + clock.offsetMs - clock.now())).toBeLessThan(5);
  expect(Math.abs(clock.driftMs())).toBeLessThan(0.5);
});
