import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyTasksPlace } from "../../test-support/task-filters.js";
import { fragmentOf, routeOf } from "./route.js";

test("the address of a list of tasks leads back to it", () => {
  fc.assert(
    fc.property(anyTasksPlace, (place) => {
      expect(routeOf(fragmentOf({ page: "tasks", ...place }))).toEqual({ page: "tasks", ...place });
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
