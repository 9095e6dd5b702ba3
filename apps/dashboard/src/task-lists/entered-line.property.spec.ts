import { expect, test } from "@jest/globals";
import { zoneClock } from "@tickwheel/schedules";
import fc from "fast-check";
import { anyLine } from "../../test-support/filter-lines.js";
import { taskTabs } from "../api/wire.js";
import { enteredPlace } from "./entered-line.js";
import { faultsOf } from "./line-cures.js";

const now = Date.parse("2026-11-24T12:00:00Z");
const [berlin, auckland] = ["Europe/Berlin", "Pacific/Auckland"].map((zone) => ({ now, clock: zoneClock(zone) }));

test("a filter line that was entered is the same when it is entered again, in any zone", () => {
  fc.assert(
    fc.property(fc.constantFrom(undefined, ...taskTabs), anyLine, (tab, line) => {
      const once = enteredPlace({ tab, line }, berlin!);
      fc.pre(once !== null);
      expect(enteredPlace(once, auckland!)).toEqual(once);
    }),
  );
});

test("any filter line is taken or has faults, each of which lies within it", () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const faults = faultsOf(line, berlin!);
      expect(enteredPlace({ line }, berlin!) === null).toBe(faults.length > 0);
      for (const { from, to } of faults) expect([from >= 0, from < to, to <= line.length]).toEqual([true, true, true]);
    }),
  );
});
