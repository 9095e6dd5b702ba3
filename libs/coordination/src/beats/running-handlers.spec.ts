import { describe, expect, test } from "@jest/globals";
import { inWords, RunningHandlers } from "./running-handlers.js";

const idOf = (digit: number): string => "00000000-0000-7000-8000-00000000000" + digit;

describe("the report of running handlers", () => {
  test("the report of running handlers shows another thread how many of each type run, most first, and the last task called", () => {
    const runningHandlers = new RunningHandlers();
    runningHandlers.started({ id: idOf(1), typeId: 7 }, "mail");
    runningHandlers.started({ id: idOf(2), typeId: 9 }, "resize");
    runningHandlers.started({ id: idOf(3), typeId: 9 }, "resize");
    const seen = new RunningHandlers(runningHandlers.memory);
    expect(seen.read()).toEqual({
      running: [
        { type: "resize", count: 2 },
        { type: "mail", count: 1 },
      ],
      lastStarted: idOf(3),
    });
    runningHandlers.ended({ typeId: 7 });
    runningHandlers.ended({ typeId: 9 });
    expect(seen.read()).toEqual({ running: [{ type: "resize", count: 1 }], lastStarted: idOf(3) });
  });

  test("the report of running handlers is empty while nothing has run", () => {
    expect(new RunningHandlers().read()).toEqual({ running: [], lastStarted: null });
  });

  test("the report of running handlers names ten types at most, and counts all other types together", () => {
    const runningHandlers = new RunningHandlers();
    for (let typeId = 1; typeId <= 300; typeId++) {
      runningHandlers.started({ id: idOf(1), typeId }, `type ${typeId}`);
      if (typeId > 11 && typeId <= 256) runningHandlers.ended({ typeId });
    }
    const { running } = runningHandlers.read();
    expect(running).toHaveLength(10);
    expect(running[0]).toEqual({ type: "others", count: 44 });
    for (let typeId = 257; typeId <= 300; typeId++) runningHandlers.ended({ typeId });
    expect(runningHandlers.read().running[0]).toEqual({ type: "type 1", count: 1 });
  });

  test("the report of running handlers shortens a long name", () => {
    const runningHandlers = new RunningHandlers();
    runningHandlers.started({ id: idOf(1), typeId: 1 }, "x".repeat(100));
    expect(runningHandlers.read().running).toEqual([{ type: "x".repeat(64), count: 1 }]);
  });

  test("the report of running handlers is put into words for people", () => {
    expect(inWords([])).toBe("no handler");
    expect(
      inWords([
        { type: "resize", count: 3 },
        { type: "mail", count: 1 },
      ]),
    ).toBe("resize × 3, mail");
  });
});
