import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { AskedPassword } from "./asked-password.js";

test("each connection asks the main thread for the password, and takes the last good one where no answer comes in time", async () => {
  const clock = new ManualClock();
  let asked = 0;
  const password = new AskedPassword(clock, () => asked++);
  const first = password.current();
  password.answered("one");
  expect(await first).toBe("one");
  const second = password.current();
  password.answered("two");
  expect(await second).toBe("two");
  const blocked = password.current();
  await clock.advance(300);
  expect(await blocked).toBe("two");
  const failed = password.current();
  password.answered(undefined);
  expect(await failed).toBe("two");
  expect(asked).toBe(4);
  expect(clock.pendingTimers).toBe(0);
});

test("a connection has no password to connect with before the main thread has given any", async () => {
  const clock = new ManualClock();
  const password = new AskedPassword(clock, () => undefined);
  const none = password.current().catch((error: unknown) => error);
  await clock.advance(300);
  expect(await none).toMatchObject({ code: "STORE_UNAVAILABLE" });
});
