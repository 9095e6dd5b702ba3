import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyTasksPlace } from "../../test-support/task-filters.js";
import { placeOf } from "../place/tasks-place.js";
import { lineOf, readLine } from "./query-line.js";

test("whatever a filter says, its line says the same", () => {
  fc.assert(
    fc.property(anyTasksPlace, ({ tab, filter }) => {
      const { values, faults } = readLine(lineOf(filter));
      expect(faults).toEqual([]);
      expect(placeOf(tab, values)).toEqual(tab === undefined ? { filter } : { tab, filter });
    }),
  );
});

test("a line is one line, as a field of a form keeps it", () => {
  fc.assert(fc.property(anyTasksPlace, ({ filter }) => expect(lineOf(filter)).not.toMatch(/[\n\r]/)));
});

const anyLine = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: fc.constantFrom("type", "key:", "due:", "<1h", '"', "\\", " ", "a"), maxLength: 12 }),
);

test("any text can be read: each fault lies within it, and behind the fault before", () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const { faults } = readLine(line);
      for (const [at, { from, to }] of faults.entries()) {
        expect(from).toBeGreaterThanOrEqual(at === 0 ? 0 : faults[at - 1]!.to);
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(line.length);
      }
    }),
  );
});
