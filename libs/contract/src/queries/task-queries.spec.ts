import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { eventQuery } from "./other-queries.js";
import { type Query, readQuery } from "./query.js";
import { journalQuery, taskQuery } from "./task-queries.js";

const ID = "019ab0aa-1111-7222-8333-123456789abc";

type Given = Record<string, unknown>;

function faultPaths(given: Given, asked: Query = taskQuery): string[] {
  try {
    readQuery(asked, given);
  } catch (error) {
    if (error instanceof TickwheelError && error.code === "VALIDATION_FAILED")
      return error.faults.map(({ path }) => path);
    throw error;
  }
  return [];
}

describe("the parameters of a list of tasks", () => {
  test("the parameters of a list of tasks are a page of 50 when nothing is asked for", () => {
    expect(readQuery(taskQuery, {})).toEqual({ limit: 50 });
  });

  test("parameters of a list of tasks that contradict each other are refused, each by its name", () => {
    const one = "2026-11-21T08:00:00Z";
    const other = "2026-11-21T09:00:00Z";
    const stretches = {
      scheduledFrom: other,
      scheduledTo: one,
      dueFrom: one,
      dueTo: one,
      createdFrom: other,
      createdTo: one,
    };
    expect(faultPaths({ ...stretches, tab: "dead", state: "running", live: "true" })).toEqual([
      "createdTo",
      "scheduledTo",
      "dueTo",
      "state",
      "live",
    ]);
    expect(faultPaths({ tab: "dead", state: "running,dead", live: "false" })).toEqual([]);
    expect(faultPaths({ tab: "failing", state: "scheduled", live: "true" })).toEqual([]);
  });

  test("parameters of a list of tasks are refused: an unknown tab, another list's cursor, an error text that is too long", () => {
    expect(faultPaths({ tab: "late", node: "", error: "x".repeat(201) })).toEqual(["tab", "node", "error"]);
    expect(faultPaths({ error: "x".repeat(200) })).toEqual([]);
    for (const cursor of [ID, `dead.0.${ID}`, `paused.x.${ID}`, `paused.0.${ID}.1`, "paused.0", ""])
      expect(faultPaths({ tab: "paused", cursor })).toEqual(["cursor"]);
    expect(faultPaths({ cursor: `paused.0.${ID}` })).toEqual(["cursor"]);
  });

  test("parameters of a list of tasks may be several states, with commas or repeated, and the query is left as it was", () => {
    const given = { state: ["dead", "running"] };
    expect(readQuery(taskQuery, given).state).toEqual(["dead", "running"]);
    expect(readQuery(taskQuery, { state: "dead,running" }).state).toEqual(["dead", "running"]);
    expect(readQuery(taskQuery, { state: ["dead,running", "paused"] }).state).toEqual(["dead", "running", "paused"]);
    expect(given).toEqual({ state: ["dead", "running"] });
  });

  test("the parameters of a list of tasks are refused with all of their faults at once", () => {
    const query = {
      type: "",
      "not.error": "",
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

  test("parameters of a list of tasks that are not known are told with what was meant", () => {
    expect(() => readQuery(taskQuery, { typ: "a" })).toThrow('typ is not a known parameter; did you mean "type"?');
    expect(() => readQuery(taskQuery, { limt: "1" })).toThrow('limt is not a known parameter; did you mean "limit"?');
  });

  test.each([{ limit: "0" }, { limit: "-1" }, { limit: "1e2" }, { limit: ["1", "2"] }, { key: ["a", "b"] }])(
    "parameters of a list of tasks are refused: %j",
    (query) => {
      expect(faultPaths(query)).toEqual(Object.keys(query));
    },
  );

  test("the parameters of a list of tasks bear the names that their caller knows them by", () => {
    const names = { limit: "first", cursor: "after" };
    expect(readQuery(taskQuery, { first: "7", after: ID }, { names })).toEqual({ limit: 7, cursor: ID });
    expect(() => readQuery(taskQuery, { limit: "7" }, { names })).toThrow("limit is not a known parameter");
  });
});

describe("the page of a journal", () => {
  test("the page of a journal begins at the first entry and has 50, or what is asked for", () => {
    expect(readQuery(journalQuery, {})).toEqual({ limit: 50 });
    expect(readQuery(journalQuery, { limit: "200", cursor: "50" })).toEqual({ limit: 200, cursor: 50 });
  });

  test("the page of a journal is refused with all of its faults at once", () => {
    const given = { limit: "201", cursor: ID, state: "dead" };
    expect(faultPaths(given, journalQuery)).toEqual(Object.keys(given));
  });

  test.each(["", "0", "-1", "01", "1.5", "1e3", "1".repeat(10), "x", ["1", "2"]])(
    "the page of a journal refuses the cursor %j",
    (cursor) => {
      expect(faultPaths({ cursor }, journalQuery)).toEqual(["cursor"]);
    },
  );
});

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

test("the cursor of events is read back, and no other text is", () => {
  expect(readQuery(eventQuery, { cursor: `${AT}-9` }).cursor).toEqual({ at: AT, id: "9" });
  for (const cursor of ["", "9", `${AT}-`, `-${AT}-9`, `${AT}-9 `, `${AT}-${"9".repeat(19)}`, `${"9".repeat(16)}-9`])
    expect(faultPaths({ cursor }, eventQuery)).toEqual(["cursor"]);
});
