import { expect, test } from "@jest/globals";
import { toTaskFilter } from "./task-query.js";

const ID = "019ab0aa-1111-7222-8333-123456789abc";

test("the filter of a list is the namespace and a page of 50 when nothing is asked for", () => {
  expect(toTaskFilter({}, { namespace: "shop" })).toEqual({ namespace: "shop", limit: 50 });
});

test("it takes every parameter", () => {
  const query = {
    type: "order.cancel",
    state: "dead,running",
    key: "42",
    live: "true",
    tag: "shop:7",
    scheduledFrom: "2026-11-21T08:00:00Z",
    scheduledTo: "2026-11-21T10:00:00+01:00",
    limit: "200",
    cursor: ID.toUpperCase(),
  };
  expect(toTaskFilter(query, { namespace: "default" })).toEqual({
    namespace: "default",
    type: "order.cancel",
    states: ["dead", "running"],
    key: "42",
    live: true,
    tag: "shop:7",
    scheduledFrom: Date.UTC(2026, 10, 21, 8),
    scheduledTo: Date.UTC(2026, 10, 21, 9),
    limit: 200,
    after: ID,
  });
});

test("it takes a tab with its cursor, a node, a text of the error, and stretches of time", () => {
  const query = {
    tab: "overdue",
    node: "10.0.0.1:4711",
    error: "HttpError 503",
    dueFrom: "2026-11-21T08:00:00Z",
    dueTo: "2026-11-21T09:00:00Z",
    createdFrom: "2026-11-21T06:00:00Z",
    createdTo: "2026-11-21T07:00:00Z",
    cursor: `overdue.${Date.UTC(2026, 10, 21)}.${ID}`,
  };
  expect(toTaskFilter(query, { namespace: "default" })).toEqual({
    namespace: "default",
    tab: "overdue",
    node: "10.0.0.1:4711",
    error: "HttpError 503",
    dueFrom: Date.UTC(2026, 10, 21, 8),
    dueTo: Date.UTC(2026, 10, 21, 9),
    createdFrom: Date.UTC(2026, 10, 21, 6),
    createdTo: Date.UTC(2026, 10, 21, 7),
    limit: 50,
    after: query.cursor,
  });
});

test("it names the paging parameters as its caller does", () => {
  const names = { limit: "first", cursor: "after" };
  const filter = toTaskFilter({ first: "7", after: ID }, { namespace: "default" }, names);
  expect(filter).toEqual({ namespace: "default", limit: 7, after: ID });
});
