import { expect, test } from "@jest/globals";
import type { FilterMoment } from "@tickwheel/core/filter";
import { zoneClock } from "@tickwheel/schedules";
import { enteredPlace, lineIn } from "./entered-line.js";

const berlin: FilterMoment = { now: Date.parse("2026-11-24T12:00:00Z"), clock: zoneClock("Europe/Berlin") };
const entered = (line: string): string | undefined => enteredPlace({ line }, berlin)?.line;

test.each([
  ["created:2026-11-24..2026-11-25", "created:2026-11-23T23:00Z..2026-11-24T23:00Z"],
  ["finished:<06:00:10", "finished:<2026-11-24T05:00:10Z"],
  ["due:>2026-11-24T07:00:00.500+01:00", "due:>2026-11-24T06:00:00.500Z"],
  ["due:<1h created:>2d", "created:>2d due:<1h"],
  ["state:overdue due:<-5m", "late:>5m"],
])("the line %s is sent as %s: days and times of day by the reader's clock, durations as they are", (line, told) => {
  expect(entered(line)).toBe(told);
});

test("a filter line with a fault is not taken", () => {
  expect(enteredPlace({ tab: "dead", line: "typ:a" }, berlin)).toBeNull();
  expect(enteredPlace({ line: "created:2026-11-25..2026-11-24" }, berlin)).toBeNull();
});

test.each([
  ["scheduled", "type:a", "scheduled"],
  ["scheduled", "state:scheduled", undefined],
  ["scheduled", "state:failing", "failing"],
  ["scheduled", "state:overdue", "overdue"],
  ["overdue", "late:>5m", "overdue"],
  ["overdue", "state:dead", "dead"],
  ["dead", "state:ended", undefined],
  ["finished", "state:expired", "finished"],
  ["dead", "state:cancelled,expired", "finished"],
  ["dead", "state:expired,paused", undefined],
  ["dead", "live:true", undefined],
  ["finished", "state:scheduled", undefined],
  [undefined, "state:dead", undefined],
] as const)("in the tab %s the line %s means the list of the tab %s", (tab, line, shown) => {
  expect(enteredPlace({ tab, line }, berlin)).toEqual({ ...(shown && { tab: shown }), line });
});

test("another tab keeps the filter line, but for states, unless the tab shows all of them", () => {
  expect(lineIn("dead", "state:dead,expired type:a")).toBe("type:a");
  expect(lineIn("finished", "state:expired type:a")).toBe("state:expired type:a");
  expect(lineIn("dead", "live:true key:k")).toBe("key:k");
  expect(lineIn("dead", "state:expired typ:a")).toBe("state:expired typ:a");
});
