import { describe, expect, test } from "@jest/globals";
import type { SchedulePage, StoredSchedule } from "@tickwheel/schedules";
import type { Caller, CallPorts } from "./caller.js";
import { fittingPage, ScheduleCalls } from "./schedule-calls.js";

const OPERATOR: Caller = { namespace: "default", actor: "key:1", rights: "operator", reader: "1" };
const VIEWER: Caller = { ...OPERATOR, rights: "viewer" };

const schedules = ["a", "b", "c"].map((name) => ({ name, payload: "x".repeat(10) }) as StoredSchedule);
const page: SchedulePage = { schedules, next: "c", incomplete: true };

describe("a page of schedules", () => {
  const fitting = (maxBytes: number): unknown => {
    const fit = fittingPage(page, { after: "_", maxBytes });
    return [fit.schedules.map(({ name }) => name), fit.next, fit.incomplete];
  };

  test("a page of schedules that has fewer bytes than it may is as it was found", () => {
    expect(fitting(31)).toEqual([["a", "b", "c"], "c", true]);
    expect(fitting(21)).toEqual([["a", "b", "c"], "c", true]);
  });

  test("a page of schedules ends with the schedule that reaches the bytes, and goes on behind it", () => {
    expect(fitting(20)).toEqual([["a", "b"], "b", false]);
    expect(fitting(1)).toEqual([["a"], "a", false]);
  });

  test("a page of schedules that may have nothing goes on where it was to begin", () => {
    expect(fitting(0)).toEqual([[], "_", false]);
    expect(fitting(-1)).toEqual([[], "_", false]);
  });

  test("a page of schedules has 2 MiB at most by default, and is read in its caller's turn", async () => {
    const long = ["a", "b", "c"].map((name) => ({ name, payload: "x".repeat(1_048_576) }));
    const asked: unknown[] = [];
    const list = (filter: unknown): object => {
      asked.push(filter);
      return { schedules: long, next: null, incomplete: false };
    };
    const calls = new ScheduleCalls({ schedules: { list } } as unknown as CallPorts);
    expect(await calls.list(VIEWER, {})).toMatchObject({ schedules: [{ name: "a" }, { name: "b" }], next: "b" });
    expect(asked).toEqual([{ namespace: "default", caller: "1", limit: 50, after: null }]);
  });
});

test.each(["create", "put", "pause", "resume", "trigger", "backfill", "endBackfill", "remove"] as const)(
  "the call %s for a schedule is refused to a viewer, before anything is looked at",
  async (call) => {
    await expect(new ScheduleCalls({} as CallPorts)[call](VIEWER, "name", {})).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  },
);
