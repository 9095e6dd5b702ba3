import { describe, expect, test } from "@jest/globals";
import { settle } from "./settling.js";

/** Settles against a clock that goes a second at each look, with what each look shows. */
async function settleWith(looks: { unpaid: number; running: number }[], lastCancelAt = 0, stretch = 1) {
  let now = 0;
  let look = 0;
  const isSettled = await settle(
    {
      dbNow: () => now,
      stretch: () => stretch,
      progress: () => {
        now += 1_000;
        return Promise.resolve(looks[Math.min(look++, looks.length - 1)]!);
      },
    },
    lastCancelAt,
    0,
  );
  return { isSettled, looks: look };
}

const done = { unpaid: 0, running: 0 };

describe("settling", () => {
  test("settling looks on for a while after all is done", async () => {
    expect(await settleWith([done])).toEqual({ isSettled: true, looks: 4 });
  });

  test("settling waits for unpaid orders and for executions", async () => {
    const looks = [{ unpaid: 1, running: 0 }, { unpaid: 0, running: 1 }, done];
    expect(await settleWith(looks)).toEqual({ isSettled: true, looks: 6 });
  });

  test("settling starts its count again when a task runs", async () => {
    expect(await settleWith([done, done, { unpaid: 0, running: 1 }, done])).toEqual({ isSettled: true, looks: 7 });
  });

  test("settling waits until the last due time has passed, also when nothing is unpaid", async () => {
    expect(await settleWith([done], 10_000)).toEqual({ isSettled: true, looks: 14 });
  });

  test("settling gives up a minute after the last due time when nothing moves, later on a slow machine", async () => {
    const stuck = [{ unpaid: 1, running: 0 }];
    expect(await settleWith(stuck, 10_000)).toEqual({ isSettled: false, looks: 70 });
    expect(await settleWith(stuck, 10_000, 3)).toEqual({ isSettled: false, looks: 190 });
  });

  test("settling waits on as long as more orders come to an end", async () => {
    const slow = [5, 4, 3, 2, 1].flatMap((unpaid) => Array.from({ length: 50 }, () => ({ unpaid, running: 0 })));
    expect(await settleWith([...slow, done])).toEqual({ isSettled: true, looks: 254 });
  });

  test("settling does not take executions that begin again and again for progress", async () => {
    const again = Array.from({ length: 200 }, (_, look) => ({ unpaid: 1, running: look % 2 }));
    expect(await settleWith(again)).toMatchObject({ isSettled: false, looks: 61 });
  });
});
