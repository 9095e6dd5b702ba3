import fc from "fast-check";
import { finishedStates, type TaskFilter } from "../src/api/asked.js";
import { taskTabs } from "../src/api/wire.js";
import { filterIn, type TasksPlace } from "../src/place/tasks-place.js";

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('"', " ", "\\", ":", "<", "&", "=", "#", "%", "\n", "\u0000", "\u2028", "ü"),
    minLength: 1,
    maxLength: 12,
  }),
);
const length = fc
  .tuple(fc.constantFrom("<", ">"), fc.integer({ min: 1, max: 3_000 }), fc.constantFrom("s", "m", "h", "d"))
  .map(([sign, count, unit]) => `${sign}${count}${unit}`);
const span = fc.oneof(length, fc.constantFrom("2026-11-01..2026-11-08", "2026-11-01T09:00+01:00..", "..2026-11-08"));

const filter: fc.Arbitrary<TaskFilter> = fc.record(
  {
    ...{ type: text, key: text, tag: text, node: text, error: text, due: span, created: span },
    state: fc.constantFrom(...finishedStates),
  },
  { requiredKeys: [] },
);

/** Any list of tasks that the page can show. */
export const anyTasksPlace: fc.Arbitrary<TasksPlace> = fc
  .tuple(fc.constantFrom(undefined, ...taskTabs), filter)
  .map(([tab, given]) => {
    const { state: _, ...others } = given;
    return tab === undefined ? { filter: others } : { tab, filter: filterIn(tab, given) };
  });
