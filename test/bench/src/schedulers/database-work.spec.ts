import { describe, expect, test } from "@jest/globals";
import { databaseFigures, databaseWorkOf } from "./database-work.js";
import { resultOf } from "./result.js";
import { sampleOf } from "./sample.js";

const records = [
  { type: "Transaction/COMMIT", count: 4 },
  { type: "Transaction/ABORT", count: 1 },
  { type: "Heap/INSERT", count: 100 },
  { type: "Heap/LOCK", count: 50 },
  { type: "Heap/UPDATE", count: 10 },
  { type: "Heap/UPDATE+INIT", count: 2 },
  { type: "Heap/HOT_UPDATE", count: 30 },
  { type: "Heap/HOT_UPDATE+INIT", count: 3 },
  { type: "Heap/DELETE", count: 20 },
  { type: "Btree/DELETE", count: 7 },
];

describe("the work of the database", () => {
  test("the database's work is counted from the records of its log: commits, and rows that an update or a delete left behind", () => {
    expect(databaseWorkOf(5_000, records)).toEqual({ walBytes: 5_000, commits: 4, deadVersions: 65, hotUpdates: 33 });
  });

  test("the database's work is told per task", () => {
    expect(databaseFigures(databaseWorkOf(5_000, records), 10)).toEqual({
      walBytesPerTask: 500,
      commitsPerTask: 0.4,
      deadVersionsPerTask: 6.5,
      hotUpdatesPerTask: 3.3,
    });
  });

  test("the database's work has no figures without Postgres, nor without a task", () => {
    expect(databaseFigures(null, 10)).toEqual({});
    expect(databaseFigures(databaseWorkOf(5_000, records), 0)).toEqual({});
  });

  test("the database's work is the median of the repetitions that have it", () => {
    const figuresOf = [300, 100, 200].map((bytes) => databaseFigures(databaseWorkOf(bytes, records), 1));
    const reps = [...figuresOf, {}].map((figures) => sampleOf({ cpuSeconds: 1, figures }));
    const { figures } = resultOf({ peer: "tickwheel", settings: "defaults" }, reps);
    expect(figures).toMatchObject({ walBytesPerTask: 200, commitsPerTask: 4 });
  });
});
