import { expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import { DEFAULT_OPTIONS, type ForgetReply, type ForgetRequest, NO_REVISION, type TypeSetting } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { EndedTaskKeeper } from "./ended-task-keeper.js";

const HOUR_MS = 3_600_000;
const LAST: ForgetReply = { forgotten: 0, next: null };
const setting = (typeId: number, kept: Partial<TypeSetting>): TypeSetting => ({
  typeId,
  concurrency: null,
  keepSucceededMs: null,
  keepCancelledMs: null,
  keepDeadMs: null,
  changedAt: 0,
  changedBy: "key:1",
  ...kept,
});

/** A keeper, what it asks of the store and when, and whether it leads. */
function keeperOf(types: readonly TypeSetting[], reply: (asked: ForgetRequest) => ForgetReply = () => LAST) {
  const clock = new ManualClock();
  const asked: (ForgetRequest & { atMs: number })[] = [];
  const node = { leads: true };
  const forgetEnded = (request: ForgetRequest): Promise<ForgetReply> => {
    asked.push({ ...request, atMs: clock.monotonicMs() });
    return Promise.resolve(reply(request));
  };
  const context = { clock, health: new Health(clock, new RecordingTelemetry()), options: DEFAULT_OPTIONS };
  const keeper = new EndedTaskKeeper({ ...context, tasks: { forgetEnded } as never } as never, {
    member: { leadership: () => (node.leads ? { term: 1, holder: "1" } : null) },
    inForce: { settings: { revision: NO_REVISION, types, limits: [], pauses: [] } },
  });
  return { clock, asked, keeper, node };
}

test("the leader asks each minute for ended tasks that are kept shorter, by type and state", async () => {
  const types = [
    setting(1, { keepSucceededMs: 0, keepDeadMs: HOUR_MS }),
    setting(2, {}),
    setting(3, { keepCancelledMs: 5, keepDeadMs: 7 }),
  ];
  const { clock, asked, keeper, node } = keeperOf(types);
  await keeper.start();
  await clock.advance(60_000);
  const both = [
    [1, "succeeded", 0, null],
    [1, "dead", HOUR_MS, null],
    [3, "cancelled", 5, null],
    [3, "dead", 7, null],
  ];
  expect(asked.map(({ typeId, state, keptMs, after }) => [typeId, state, keptMs, after])).toEqual([...both, ...both]);
  expect(asked.every(({ limit }) => limit === DEFAULT_OPTIONS.upkeepBatchSize)).toBe(true);
  node.leads = false;
  await clock.advance(600_000);
  await keeper.stop();
  expect(asked).toHaveLength(8);
});

test("a walk over ended tasks goes on where the last run left it: at once where a task was deleted, else a minute later", async () => {
  const pages = 120;
  const { clock, asked, keeper } = keeperOf([setting(1, { keepSucceededMs: 0 })], ({ after }) => {
    const page = after === null ? 1 : Number(after) + 1;
    return { forgotten: page <= 50 ? 1 : 0, next: page < pages ? String(page) : null };
  });
  await keeper.start();
  await clock.advance(50);
  expect(asked.map(({ after }) => after)).toEqual([null, ...Array.from({ length: 99 }, (_, at) => String(at + 1))]);
  await clock.advance(60_000);
  await keeper.stop();
  expect(asked.slice(100).map(({ after }) => Number(after))).toEqual(Array.from({ length: 20 }, (_, at) => 100 + at));
});
