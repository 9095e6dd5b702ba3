import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { TERMINAL_REASONS } from "../task/task.js";
import { checkFilter } from "./check-filter.js";
import { formatLine } from "./format-line.js";
import { checkLine, parseLine } from "./parse-line.js";
import { FILTER_STATES, type TaskConditions, type TaskFilterInput } from "./task-filter.js";

const NOW = Date.UTC(2026, 10, 24, 6);

const hostile = fc.constantFrom(
  '"',
  "\\",
  ",",
  ":",
  "*",
  "<",
  ">",
  "..",
  "-",
  " ",
  "\n",
  "\u00a0",
  "%",
  "_",
  "'",
  "a",
  "state:dead",
);
const textOf = (longest: number) =>
  fc
    .oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
      fc.array(hostile, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")),
    )
    .map((text) => text.slice(0, longest).toWellFormed())
    .filter((text) => text !== "" && !text.includes("\0"));
const listOf = <Value>(value: fc.Arbitrary<Value>, maxLength: number) => fc.array(value, { minLength: 1, maxLength });
const typeName = fc.stringMatching(/^[a-z][a-z.]{0,8}\*?$/);
const type = listOf(typeName, 3);
const tag = listOf(textOf(64), 4);
const reason = listOf(fc.constantFrom(...TERMINAL_REASONS), 3);
const duration = fc.constantFrom("15m", "2h30m", "7d", "PT15M", "250ms", "0s");
const pastPoint = fc.oneof(
  duration,
  fc.constantFrom("06:00", "23:59:59", "2026-11-24"),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") }).map((at) => at.toISOString()),
);
const point = fc.oneof(
  pastPoint,
  duration.map((text) => `-${text}`),
);
const node = textOf(256);
const error = textOf(200);
const not = fc
  .record({ type, tag, node, error, reason, createdBy: listOf(textOf(256), 3) }, { requiredKeys: [] })
  .filter((negated) => Object.keys(negated).length > 0);

const inputs: fc.Arbitrary<TaskFilterInput> = fc.record(
  {
    type,
    tag,
    node,
    error,
    reason,
    not,
    createdBy: listOf(textOf(256), 3),
    states: listOf(fc.constantFrom(...FILTER_STATES), 3),
    fingerprint: listOf(fc.stringMatching(/^[0-9a-f]{12}$/), 3),
    key: textOf(256),
    keyPrefix: textOf(256),
    live: fc.boolean(),
    id: listOf(fc.uuid(), 3),
    batch: fc.uuid(),
    createdFrom: pastPoint,
    createdTo: pastPoint,
    startedFrom: pastPoint,
    finishedTo: pastPoint,
    dueFrom: point,
    dueTo: point,
    scheduledFrom: point,
    scheduledTo: point,
    priorityFrom: fc.nat(9),
    priorityTo: fc.nat(9),
    attemptFrom: fc.nat(1_000),
    attemptTo: fc.nat(1_000),
  },
  { requiredKeys: [] },
);

test("the line of a filter says what the filter says", () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { input: read, faults } = parseLine(formatLine(input));
      expect(faults).toEqual([]);
      expect(read).toEqual(input);
    }),
    { numRuns: 1_000 },
  );
});

/** Without what contradicts the rest. */
function soundPart(input: TaskFilterInput): TaskConditions {
  const { filter, faults } = checkFilter(input, { now: NOW });
  const names = new Set(faults.map(({ path }) => path));
  const sound = Object.fromEntries(Object.entries(filter).filter(([name]) => !names.has(name)));
  fc.pre(checkFilter(sound, { now: NOW }).faults.length === 0);
  return sound;
}

test("a filter that was checked is the same when its line is read, whatever the clock says by then", () => {
  fc.assert(
    fc.property(inputs, fc.nat(1_000_000), (input, laterMs) => {
      const filter = soundPart(input);
      expect(checkLine(formatLine(filter), { now: NOW + laterMs })).toMatchObject({ filter, faults: [] });
    }),
    { numRuns: 1_000 },
  );
});

test("any text is read as a filter line without an error, and every fault stands in it", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(hostile, { maxLength: 20 }).map((parts) => parts.join("")),
      ),
      (line) => {
        const { faults, filter } = checkLine(line, { now: NOW });
        for (const { from, to } of faults) expect(from >= 0 && from <= to && to <= line.length).toBe(true);
        if (faults.length === 0) expect(checkLine(formatLine(filter), { now: NOW }).filter).toEqual(filter);
      },
    ),
    { numRuns: 1_000 },
  );
});
