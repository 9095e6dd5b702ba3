import { describe, expect, test } from "@jest/globals";
import { type Fault, FIELDS, FILTER_FIELDS, isNegatable, namesOf, TickwheelError } from "@tickwheel/core";
import { readQuery } from "./query.js";
import { askedTasksIn, taskFilter } from "./task-filter-input.js";
import { askedTasksOf, taskQuery } from "./task-queries.js";

const ID = "019ab0aa-1111-7222-8333-123456789ABC";
const ask = (given: Record<string, unknown>) => askedTasksOf(readQuery(taskQuery, given));

function faultsIn(call: () => unknown): readonly Fault[] {
  try {
    call();
  } catch (error) {
    if (error instanceof TickwheelError && error.code === "VALIDATION_FAILED") return error.faults;
    throw error;
  }
  return [];
}

describe("the filter of tasks in a query", () => {
  test("a query's filter of tasks has a parameter for every name of every field, and for every field that may be negated", () => {
    const names = FIELDS.flatMap(([name]) => (name === "states" ? ["state"] : namesOf(name)));
    const negated = FIELDS.filter(([, field]) => isNegatable(field)).map(([name]) => `not.${name}`);
    const others = ["tab", "q", "limit", "cursor"];
    expect(Object.keys(taskQuery.parameters).toSorted()).toEqual([...names, ...negated, ...others].toSorted());
  });

  test("a query's filter of tasks is read from texts: comma lists, tags repeated, numbers, flags, what is negated, a line", () => {
    const given = {
      state: "overdue,dead",
      type: ["mail.*", "sms,push"],
      tag: ["a,b", "c"],
      live: "false",
      priorityFrom: "0",
      createdFrom: "24h",
      "not.type": "mail.test",
      "not.tag": "x,y",
      q: "key:7",
      limit: "3",
      cursor: ID,
    };
    expect(ask(given)).toEqual({
      fields: {
        states: ["overdue", "dead"],
        type: ["mail.*", "sms", "push"],
        tag: ["a,b", "c"],
        live: false,
        priorityFrom: 0,
        createdFrom: "24h",
        not: { type: "mail.test", tag: "x,y" },
      },
      line: "key:7",
      limit: 3,
      after: ID.toLowerCase(),
    });
  });

  test("a query's filter of tasks is refused with every fault of its fields and of its line, each by its name or place", () => {
    const given = {
      state: "deed",
      type: "a,,b",
      live: "yes",
      priorityTo: "1e1",
      attemptFrom: "2",
      attemptTo: "1",
      operation: "7",
      createdTo: "yesterday",
      "not.reason": "TIRED",
      "not.key": "k",
      q: "typ:a tag:b reason:X",
    };
    expect(Object.fromEntries(faultsIn(() => ask(given)).map(({ path, message }) => [path, message]))).toEqual({
      state: expect.stringMatching(/did you mean "dead"\?$/),
      "type[1]": "must be 1 to 128 characters",
      live: "must be true or false",
      priorityTo: "must be a whole number of 0 to 9",
      attemptTo: "must not be less than attemptFrom",
      operation: "must be a UUID",
      createdTo: expect.stringMatching(/^must be an instant, such as /),
      "not.reason": expect.stringMatching(/^must be one of ATTEMPTS, /),
      "not.key": "is not a known parameter",
      "q[0..5]": 'is not a field of a filter; did you mean "type"?',
      "q[12..20]": expect.stringMatching(/^must be one of ATTEMPTS, /),
    });
  });

  test("a query's filter of tasks is refused in a tab that shows none of its states", () => {
    const pathsOf = (given: Record<string, unknown>) => faultsIn(() => ask(given)).map(({ path }) => path);
    expect(pathsOf({ tab: "overdue", state: "ended" })).toEqual(["state"]);
    expect(pathsOf({ tab: "dead", live: "true" })).toEqual(["live"]);
    expect(pathsOf({ tab: "dead", q: "live:true state:paused" })).toEqual(["q", "q"]);
    expect(pathsOf({ tab: "overdue", state: "waiting,dead" })).toEqual([]);
  });

  test("a query's filter of tasks leaves a range to the time of the call, where one of its ends is told from then", () => {
    expect(faultsIn(() => ask({ createdFrom: "24h", createdTo: "2020-01-01" }))).toEqual([]);
    expect(faultsIn(() => ask({ createdFrom: "2020-01-02", createdTo: "2020-01-01" }))).toHaveLength(1);
  });
});

describe("the filter of tasks in code", () => {
  test("a filter of tasks in code is read as it is, with the page beside it", () => {
    const given = {
      state: "dead",
      type: "mail.*",
      createdFrom: new Date(7),
      dueTo: "1h",
      not: { tag: ["a"] },
    } as const;
    expect(askedTasksIn({ ...given, limit: 7, after: ID })).toEqual({
      fields: given,
      limit: 7,
      after: ID.toLowerCase(),
    });
    expect(askedTasksIn({})).toEqual({ fields: {}, limit: 50 });
  });

  test("a filter of tasks in code is refused with every fault at once, with what was meant", () => {
    const given = { tab: "dead", typ: "a", type: "", states: ["gone"], live: "true", not: { key: "k" } };
    const others = { scheduledFrom: NaN, error: null, limit: 201, after: "x", dueFrom: 2, dueTo: 1 };
    const faults = faultsIn(() => askedTasksIn({ ...given, ...others }));
    expect(Object.fromEntries(faults.map(({ path, message }) => [path, message]))).toMatchObject({
      tab: expect.any(String),
      typ: 'is not a field of a filter; did you mean "type"?',
      type: "must be 1 to 128 characters",
      "states[0]": expect.any(String),
      live: "must be true or false",
      "not.key": "cannot be negated",
      scheduledFrom: expect.any(String),
      error: "must be a string",
      limit: "must be an integer from 1 to 200",
      after: "must be a cursor that this list gave",
      dueTo: "must be after dueFrom",
    });
    expect(faultsIn(() => askedTasksIn("dead"))).toEqual([{ path: "", message: "must be an object" }]);
  });

  test("a filter of tasks in code may be a line, whose faults are told by their places", () => {
    expect(taskFilter("state:dead -tag:vip created:<24h")).toEqual({
      states: ["dead"],
      createdFrom: "24h",
      not: { tag: ["vip"] },
    });
    expect(
      faultsIn(() => taskFilter("state:deed typ:a"))
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(["line[0..10]", "line[11..16]"]);
    expect(faultsIn(() => taskFilter(7 as unknown as string))).toEqual([{ path: "line", message: "must be a string" }]);
  });
});

test("the text of a filter's field names no edge's own form", () => {
  for (const { text } of Object.values(FILTER_FIELDS)) expect(text).not.toMatch(/REST|GraphQL|query|argument/);
});
