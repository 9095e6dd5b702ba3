import { describe, expect, test } from "@jest/globals";
import type { History, HistoryBucket } from "../api/wire.js";
import { columnsOf, historyWith } from "./history-columns.js";
import { historyBucket } from "../../test-support/history-bucket.js";

const minuteMs = 60_000;
const base = Date.parse("2026-11-26T00:00:00Z");
const bucket = (minute: number, started: number): HistoryBucket =>
  historyBucket({ at: new Date(base + minute * minuteMs).toISOString(), started });
const history = (minutes: readonly [minute: number, started: number][], fields: Partial<History> = {}): History => ({
  range: "1h",
  type: null,
  bucketMs: minuteMs,
  from: bucket(minutes[0]![0], 0).at,
  to: new Date(base + (minutes.at(-1)![0] + 0.5) * minuteMs).toISOString(),
  buckets: minutes.map(([minute, started]) => bucket(minute, started)),
  ...fields,
});
const startedIn = ({ buckets }: History) => buckets.map(({ started }) => started);

describe("a history with the newest buckets of the stream", () => {
  const old = history([
    [0, 1],
    [1, 2],
    [2, 3],
  ]);

  test("a history takes its present bucket anew from the newest buckets of the stream", () => {
    expect(
      startedIn(
        historyWith(
          old,
          history([
            [1, 2],
            [2, 7],
          ]),
        ),
      ),
    ).toEqual([1, 2, 7]);
  });

  test("a history moves on by a bucket of the stream, and stays as long as it was", () => {
    const moved = historyWith(
      old,
      history([
        [2, 8],
        [3, 4],
      ]),
    );
    expect(startedIn(moved)).toEqual([2, 8, 4]);
    expect([moved.from, moved.to]).toEqual([bucket(1, 0).at, history([[3, 0]]).to]);
  });

  test("a history is left as it is where buckets lie between, for another range or type, and by older buckets", () => {
    expect(
      historyWith(
        old,
        history([
          [4, 1],
          [5, 1],
        ]),
      ),
    ).toBe(old);
    expect(historyWith(old, history([[2, 1]], { type: "mail" }))).toBe(old);
    expect(historyWith({ ...old, range: "24h" }, history([[2, 1]]))).toEqual({ ...old, range: "24h" });
    expect(
      historyWith(
        old,
        history([
          [0, 9],
          [1, 9],
        ]),
      ),
    ).toBe(old);
    expect(historyWith(old, { ...old, buckets: [] })).toBe(old);
  });
});

test("rates of the history are per second, the present bucket's over as long as it has lasted", () => {
  const { started, at } = columnsOf(
    history([
      [0, 60],
      [1, 60],
    ]),
  );
  expect(started).toEqual([1, 2]);
  expect(at).toEqual([base / 1000, base / 1000 + 60]);
});

test("a bucket that has just begun has no wild rate", () => {
  const young = history(
    [
      [0, 60],
      [1, 10],
    ],
    { to: bucket(1, 0).at },
  );
  expect(columnsOf(young).started).toEqual([1, 2]);
});

test("a bucket in which nothing started has no lateness", () => {
  expect(columnsOf(history([[0, 0]])).p99).toEqual([null]);
});
