import { expect, test } from "@jest/globals";
import { routeOf } from "./route.js";
import { filterIn, placeOf } from "./tasks-place.js";

test.each([
  ["#/tasks?state=dead&type=mail", { tab: "dead", filter: { type: "mail" } }],
  ["#/tasks?state=scheduled", { tab: "scheduled", filter: {} }],
  ["#/tasks?state=expired&key=k", { tab: "finished", filter: { state: "expired", key: "k" } }],
  ["#/tasks?state=asleep&type=&live=true", { filter: {} }],
  ["#/tasks/overdue?state=scheduled&node=a%3A1", { tab: "overdue", filter: { node: "a:1" } }],
  ["#/tasks/failing?due=soon&created=<1h", { tab: "failing", filter: { created: "<1h" } }],
])("%s is the list %j", (fragment, place) => {
  expect(routeOf(fragment)).toEqual({ page: "tasks", ...place });
});

test("a state leads to the tab that shows it, and a tab is told like a state", () => {
  expect(placeOf(undefined, { state: "paused", tag: "vip" })).toEqual({ tab: "paused", filter: { tag: "vip" } });
  expect(placeOf("dead", { state: "overdue", type: "a" })).toEqual({ tab: "overdue", filter: { type: "a" } });
  expect(placeOf("dead", { state: "cancelled" })).toEqual({ tab: "finished", filter: { state: "cancelled" } });
  expect(placeOf("dead", { state: "finished" })).toEqual({ tab: "finished", filter: {} });
});

test("another tab keeps the filter, but for the state of finished tasks", () => {
  expect(filterIn("dead", { state: "expired", key: "k" })).toEqual({ key: "k" });
  expect(filterIn("finished", { state: "expired", key: "k" })).toEqual({ state: "expired", key: "k" });
});
