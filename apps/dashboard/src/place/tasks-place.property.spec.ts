import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyLine } from "../../test-support/filter-lines.js";
import { taskTabs } from "../api/wire.js";
import { fragmentOf, routeOf } from "./route.js";

test("the address of a list of tasks leads back to it", () => {
  fc.assert(
    fc.property(fc.constantFrom(undefined, ...taskTabs), anyLine, (tab, line) => {
      const place = { page: "tasks" as const, ...(tab !== undefined && { tab }), line };
      expect(routeOf(fragmentOf(place))).toEqual(place);
    }),
  );
});

test("the id of a task is never taken for a tab", () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(routeOf(fragmentOf({ page: "task", id }))).toEqual({ page: "task", id });
    }),
  );
});
