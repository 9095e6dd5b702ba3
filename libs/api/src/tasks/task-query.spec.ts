import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { toJournalRequest, toTaskFilter } from "./task-query.js";

const ID = "019ab0aa-1111-7222-8333-123456789abc";

type Query = Record<string, unknown>;

function faultPaths(
  query: Query,
  read: (given: Query) => unknown = (given) => toTaskFilter(given, { namespace: "default" }),
): string[] {
  try {
    read(query);
  } catch (error) {
    if (error instanceof TickwheelError && error.code === "VALIDATION_FAILED")
      return error.faults.map(({ path }) => path);
    throw error;
  }
  return [];
}

describe("the filter of a list", () => {
  test("is the namespace and a page of 50 when nothing is asked for", () => {
    expect(toTaskFilter({}, { namespace: "shop" })).toEqual({ namespace: "shop", limit: 50 });
  });

  test("takes every parameter", () => {
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

  test("takes a tab with its cursor, a node, a text of the error, and stretches of time", () => {
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

  test("refuses what contradicts itself, each fault by its name", () => {
    const [one, other] = ["2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z"];
    const stretches = {
      scheduledFrom: other,
      scheduledTo: one,
      dueFrom: one,
      dueTo: one,
      createdFrom: other,
      createdTo: one,
    };
    expect(faultPaths({ ...stretches, tab: "dead", state: "running", live: "true" })).toEqual([
      "scheduledTo",
      "dueTo",
      "createdTo",
      "state",
      "live",
    ]);
    expect(faultPaths({ tab: "dead", state: "running,dead", live: "false" })).toEqual([]);
    expect(faultPaths({ tab: "failing", state: "scheduled", live: "true" })).toEqual([]);
  });

  test("refuses an unknown tab, a cursor of another list, and an error text that is too long", () => {
    expect(faultPaths({ tab: "late", node: "", error: "x".repeat(201) })).toEqual(["tab", "node", "error"]);
    expect(faultPaths({ error: "x".repeat(200) })).toEqual([]);
    for (const cursor of [ID, `dead.0.${ID}`, `paused.x.${ID}`, `paused.0.${ID}.1`, "paused.0", ""])
      expect(faultPaths({ tab: "paused", cursor })).toEqual(["cursor"]);
    expect(faultPaths({ cursor: `paused.0.${ID}` })).toEqual(["cursor"]);
  });

  test("takes several states as repeated parameters too, and leaves the query as it was", () => {
    const query = { state: ["dead", "running"] };
    expect(toTaskFilter(query, { namespace: "default" }).states).toEqual(["dead", "running"]);
    expect(query).toEqual({ state: ["dead", "running"] });
  });

  test("is refused with all of its faults at once", () => {
    const query = {
      type: "",
      state: "done",
      key: "x\0",
      live: "yes",
      scheduledFrom: "tomorrow",
      scheduledTo: "2026-02-30T00:00:00Z",
      limit: "201",
      cursor: "-".repeat(36),
      tag: "x".repeat(65),
      colour: "red",
    };
    expect(faultPaths(query).toSorted()).toEqual(Object.keys(query).toSorted());
  });

  test.each([{ limit: "0" }, { limit: "-1" }, { limit: "1e2" }, { limit: ["1", "2"] }, { type: ["a", "b"] }])(
    "refuses %j",
    (query) => {
      expect(faultPaths(query)).toEqual(Object.keys(query));
    },
  );

  test("names the paging parameters as its caller does", () => {
    const names = { limit: "first", cursor: "after" };
    expect(toTaskFilter({ first: "7", after: ID }, { namespace: "default" }, names)).toMatchObject({
      limit: 7,
      after: ID,
    });
    expect(() => toTaskFilter({ limit: "7" }, { namespace: "default" }, names)).toThrow(
      "limit is not a known parameter",
    );
  });
});

describe("the page of a journal", () => {
  const task = { namespace: "default", id: ID };

  test("begins at the first entry and has 50, or what is asked for", () => {
    expect(toJournalRequest({}, task)).toEqual({ ...task, limit: 50 });
    expect(toJournalRequest({ limit: "200", cursor: "50" }, task)).toEqual({ ...task, limit: 200, after: 50 });
  });

  test("is refused with all of its faults at once", () => {
    const query = { limit: "201", cursor: ID, state: "dead" };
    expect(faultPaths(query, (given) => toJournalRequest(given, task)).toSorted()).toEqual(
      Object.keys(query).toSorted(),
    );
  });

  test.each(["", "0", "-1", "01", "1.5", "1e3", "1".repeat(10), "x", ["1", "2"]])("refuses the cursor %j", (cursor) => {
    expect(faultPaths({ cursor }, (given) => toJournalRequest(given, task))).toEqual(["cursor"]);
  });
});
