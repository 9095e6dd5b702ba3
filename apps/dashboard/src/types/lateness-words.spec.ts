import { expect, test } from "@jest/globals";
import type { HistoryBucket } from "../api/wire.js";
import { latenessWords } from "./lateness-words.js";
import { historyBucket } from "../../test-support/history-bucket.js";

const NO_LATENESS: HistoryBucket["latenessPartsMs"] = { known: 0, wheel: 0, place: 0, claim: 0, start: 0 };
const bucket = (started: number, parts: Partial<HistoryBucket["latenessPartsMs"]> = {}): HistoryBucket =>
  historyBucket({ at: "2026-11-22T03:12:00.000Z", started, latenessPartsMs: { ...NO_LATENESS, ...parts } });

test("the lateness of an hour is told by where it went, largest part first", () => {
  const buckets = [bucket(3, { place: 700, claim: 200 }), bucket(1, { place: 96, start: 4 }), bucket(0)];
  expect(latenessWords(buckets)).toBe(
    "A start was 250 ms late on the mean: 80 % for a place, 20 % for the claim, under 1 % for the start.",
  );
  expect(latenessWords([bucket(9)])).toBeNull();
  expect(latenessWords([])).toBeNull();
});
