import { expect, test } from "@jest/globals";
import { fragmentOf, routeOf, type Route } from "./route.js";

const routes: Exclude<Route, { page: "unknown" }>[] = [
  { page: "overview", view: {} },
  { page: "overview", view: { range: "24h", ahead: "30d", type: "a&b ü#", node: "10.0.0.4:4711" } },
  { page: "types", type: null },
  { page: "types", type: "order.cancel/ü" },
  { page: "tasks", line: "" },
  { page: "tasks", tab: "dead", line: 'type:mail.*,a/b -tag:"shop:7 ü&#?" key:a+b=c due:<1h' },
  { page: "task", id: "0199c0de-0000-7000-8000-000000000001" },
  { page: "task", id: "a/b?c" },
  { page: "schedules" },
  { page: "schedule", name: "edit" },
  { page: "schedule", name: "a/b?c" },
  { page: "schedule-edit", name: "orders.settle:eu" },
  { page: "schedule-create" },
  { page: "batches", filter: {} },
  { page: "batches", filter: { state: "open", namePrefix: "settle-2026&ü" } },
  { page: "batch", id: "0199c0de-0000-7000-8000-000000000001" },
  { page: "batch", id: "a/b?c", state: "dead" },
  { page: "dead", filter: {} },
  { page: "dead", filter: { reason: "CRASHES" } },
  { page: "dead", filter: { type: "a&b ü#", error: "50 % = 1+1", since: "7d" } },
  { page: "dead-group", type: "mail/send ü", fingerprint: "0123456789ab" },
  { page: "keys" },
  { page: "cluster", view: {} },
  { page: "cluster", view: { node: "10.0.0.4:4711", range: "7d", event: "123456789012345678" } },
  { page: "create" },
  { page: "create", from: "0199c0de-0000-7000-8000-000000000001" },
  { page: "log-in", back: "#/" },
  { page: "log-in", back: "#/tasks/dead?q=key:a%26b" },
];

test.each(routes)("the fragment of the route %j leads back to it", (route) => {
  expect(routeOf(fragmentOf(route))).toEqual(route);
});

test.each(["", "#", "#/"])("the fragment %j is the overview", (fragment) => {
  expect(routeOf(fragment)).toEqual({ page: "overview", view: {} });
});

test("the address of a filter line can be read", () => {
  const line = 'type:mail.* -tag:"a b" created:2026-11-23T23:00Z.. state:dead,expired';
  expect(fragmentOf({ page: "tasks", tab: "dead", line })).toBe(
    "#/tasks/dead?q=type:mail.*+-tag:%22a+b%22+created:2026-11-23T23:00Z..+state:dead,expired",
  );
});

test("a state that does not exist, and empty fields, are no filter in an address", () => {
  expect(routeOf("#/tasks?type=a&q=")).toEqual({ page: "tasks", line: "" });
  expect(routeOf("#/batches?state=dead&namePrefix=")).toEqual({ page: "batches", filter: {} });
  expect(routeOf("#/batches/b?state=open")).toEqual({ page: "batch", id: "b" });
});

test("the tab of a list of tasks may stand in the address where REST has it", () => {
  expect(routeOf("#/tasks?tab=dead&q=type:a")).toEqual({ page: "tasks", tab: "dead", line: "type:a" });
  expect(routeOf("#/tasks?tab=none")).toEqual({ page: "tasks", line: "" });
});

test("an address's range that does not exist is the usual one", () => {
  expect(routeOf("#/?range=2h&ahead=1m&type=")).toEqual({ page: "overview", view: {} });
});

test("an address's text that is no range and no event of the cluster is left out", () => {
  expect(routeOf("#/cluster?range=2h&event=new&node=")).toEqual({ page: "cluster", view: {} });
});

test.each(["https://evil.example/", "//evil.example", "#/log-in?back=x", ""])(
  "the address %j is no way back from the log-in",
  (back) => {
    expect(routeOf(`#/log-in?${new URLSearchParams({ back })}`)).toEqual({ page: "log-in", back: "#/" });
  },
);

test.each([
  "#/nodes",
  "#/cluster/a",
  "#/nodes/1",
  "#/tasks/1/2",
  "#/tasks/%",
  "#/tasks/dead/2",
  "#/types/a/b",
  "#/types/%",
  "#/schedules/a/b",
  "#/schedules/%/edit",
  "#/batches/a/b",
  "#/batches/%",
])("the fragment %j is no page", (fragment) => {
  expect(routeOf(fragment)).toEqual({ page: "unknown" });
});
