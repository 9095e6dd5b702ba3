import { describe, expect, test } from "@jest/globals";
import type { Forecast } from "../api/wire.js";
import { capacityPerBucket, capacityText, comingWords, dueText, typesAhead } from "./coming-words.js";

const forecast = (fields: Partial<Forecast> = {}): Forecast => ({
  ahead: "1h",
  type: null,
  bucketMs: 60_000,
  countedAt: "2026-11-26T00:00:00.000Z",
  incomplete: false,
  overdue: 0,
  overdueAtLeast: false,
  oldestOverdueMs: null,
  nextDueAt: null,
  otherTypes: 0,
  over: null,
  schedulesCut: false,
  buckets: [{ at: "2026-11-26T00:00:00.000Z", due: 5, fromSchedules: 0 }],
  types: [{ type: "mail", due: 5 }],
  capacity: { perSecond: 200, measured: true },
  ...fields,
});
const when = (at: string): string => at.slice(11, 16);

describe("what is coming", () => {
  const over = {
    at: "2026-11-26T03:30:00.000Z",
    due: 16_500,
    capacity: 12_000,
    lateMs: 23_000,
    type: "mail",
    typeDue: 15_000,
  };

  test("the words of what is coming begin with the first bucket over capacity, what it costs and which type it is", () => {
    expect(comingWords(forecast({ over }), { ahead: "1h", when })).toEqual({
      lead: "03:30 brings 16,500 tasks in one minute, 12,000 is the measured capacity.",
      rest: "The last of them starts about 23 s late; nothing is lost. Most are mail (15,000): spread its due times, or add nodes or places.",
    });
  });

  test('the words of what is coming say "about" where the capacity is a guess', () => {
    const guess = forecast({ over, capacity: { perSecond: 200, measured: false } });
    expect(comingWords(guess, { ahead: "1h", when }).lead).toContain("about 12,000 is the capacity");
    expect(capacityText(guess, "24h")).toBe("about 720,000 an hour");
  });

  test("the words of what is coming say that all fits, that nothing is due, and that the capacity is not known", () => {
    expect(comingWords(forecast(), { ahead: "1h", when })).toEqual({
      lead: null,
      rest: "No minute of the next hour brings more than can start: 12,000 a minute.",
    });
    const nothing = forecast({ buckets: [], types: [], nextDueAt: "2026-11-27T08:00:00.000Z" });
    expect(comingWords(nothing, { ahead: "24h", when }).rest).toBe("Nothing is due in 24 h. Next due 08:00.");
    const unknown = forecast({ capacity: { perSecond: null, measured: false } });
    expect(comingWords(unknown, { ahead: "30d", when }).rest).toContain("no capacity is known yet");
    expect(capacityPerBucket(null, "1h")).toBeNull();
  });

  test("the words of what is coming count what is due, at least where more was not counted", () => {
    expect(dueText(forecast(), "1h")).toBe("5 tasks are due in the next hour.");
    expect(dueText(forecast({ incomplete: true }), "30d")).toBe("At least 5 tasks are due in 30 days.");
  });

  const made = (fromSchedules: number, due = 5) => ({
    buckets: [{ at: "2026-11-26T00:00:00.000Z", due, fromSchedules }],
  });

  test("the words of what is coming tell about how many more schedules will make, and whether all were counted", () => {
    expect(dueText(forecast(made(1_440)), "24h")).toBe(
      "5 tasks are due in 24 h, and about 1,440 more that schedules will make.",
    );
    expect(dueText(forecast({ ...made(1_000, 1), schedulesCut: true }), "24h")).toBe(
      "1 task is due in 24 h, and about 1,000 more that schedules will make, of which not all were counted.",
    );
  });

  test("what is coming is not nothing where only schedules will make it; its words say when they bring more than can start", () => {
    const words = (fromSchedules: number) =>
      comingWords(forecast({ ...made(fromSchedules, 0), types: [] }), { ahead: "1h", when });
    expect(words(12_000).rest).toBe("No minute of the next hour brings more than can start: 12,000 a minute.");
    expect(words(12_001)).toEqual({
      lead: null,
      rest: "With what schedules will make, 00:00 brings about 12,001 tasks in one minute: more than can start, 12,000 a minute.",
    });
  });
});

test("types have a figure for each time ahead; a type that is not counted by name is unknown there, not none", () => {
  const forecasts = {
    "1h": forecast(),
    "24h": forecast({
      types: [
        { type: "report", due: 9 },
        { type: "mail", due: 7 },
      ],
    }),
    "30d": forecast({ types: [{ type: "report", due: 90 }], otherTypes: 4 }),
  };
  expect(typesAhead(forecasts, "24h")).toEqual([
    { type: "report", due: { "1h": 0, "24h": 9, "30d": 90 } },
    { type: "mail", due: { "1h": 5, "24h": 7, "30d": null } },
  ]);
  expect(typesAhead({ ...forecasts, "24h": null }, "1h")[0]?.type).toBe("mail");
});
