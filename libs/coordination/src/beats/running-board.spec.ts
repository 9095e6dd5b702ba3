import { describe, expect, test } from "@jest/globals";
import { inWords, RunningBoard } from "./running-board.js";

const idOf = (digit: number): string => "00000000-0000-7000-8000-00000000000" + digit;

describe("the board of what runs", () => {
  test("tells another thread how many handlers of each type run, most first, and the task that was called last", () => {
    const board = new RunningBoard();
    board.started({ id: idOf(1), typeId: 7 }, "mail");
    board.started({ id: idOf(2), typeId: 9 }, "resize");
    board.started({ id: idOf(3), typeId: 9 }, "resize");
    const seen = new RunningBoard(board.memory);
    expect(seen.read()).toEqual({
      running: [
        { type: "resize", count: 2 },
        { type: "mail", count: 1 },
      ],
      lastStarted: idOf(3),
    });
    board.ended({ typeId: 7 });
    board.ended({ typeId: 9 });
    expect(seen.read()).toEqual({ running: [{ type: "resize", count: 1 }], lastStarted: idOf(3) });
  });

  test("says nothing while nothing ever ran", () => {
    expect(new RunningBoard().read()).toEqual({ running: [], lastStarted: null });
  });

  test("tells ten types, and counts those without a place of their own together", () => {
    const board = new RunningBoard();
    for (let typeId = 1; typeId <= 300; typeId++) {
      board.started({ id: idOf(1), typeId }, `type ${typeId}`);
      if (typeId > 11 && typeId <= 256) board.ended({ typeId });
    }
    const { running } = board.read();
    expect(running).toHaveLength(10);
    expect(running[0]).toEqual({ type: "others", count: 44 });
    for (let typeId = 257; typeId <= 300; typeId++) board.ended({ typeId });
    expect(board.read().running[0]).toEqual({ type: "type 1", count: 1 });
  });

  test("cuts a long name", () => {
    const board = new RunningBoard();
    board.started({ id: idOf(1), typeId: 1 }, "x".repeat(100));
    expect(board.read().running).toEqual([{ type: "x".repeat(64), count: 1 }]);
  });

  test("is put into words for people", () => {
    expect(inWords([])).toBe("no handler");
    expect(
      inWords([
        { type: "resize", count: 3 },
        { type: "mail", count: 1 },
      ]),
    ).toBe("resize × 3, mail");
  });
});
