import { expect, test } from "@jest/globals";
import { checkLine, FIELDS, FILTER_FIELDS } from "@tickwheel/core/filter";
import { fieldText } from "./field-text.js";

test("a filter's field is told with what it means and how it is written", () => {
  const fields = [FILTER_FIELDS.key, FILTER_FIELDS.due, FILTER_FIELDS.created, FILTER_FIELDS.attempt];
  expect(fields.map((field) => fieldText(field).join(""))).toEqual([
    "Tasks with this key; case counts.",
    "Tasks whose next try is due then: due:<1h is within the hour or overdue, due:2026-11-24..2026-11-25 is a day.",
    "Tasks that were created then: created:<24h is within the last 24 hours, created:2026-11-24..2026-11-25 is a day.",
    "Tasks with this count of attempts: attempt:3, attempt:>3 or attempt:1..3.",
  ]);
});

test("each example of a filter's field is a line", () => {
  const parts = FIELDS.flatMap(([, field]) => fieldText(field).filter((_, at) => at % 2 === 1));
  const examples = parts.filter((part) => /:./.test(part));
  expect(examples.length).toBeGreaterThan(15);
  // An outcome is one of an operation.
  const whole = (line: string): string =>
    line.startsWith("outcome:") ? `operation:018f0000-0000-7000-8000-000000000000 ${line}` : line;
  expect(examples.filter((line) => checkLine(whole(line), { now: 0 }).faults.length > 0)).toEqual([]);
});
