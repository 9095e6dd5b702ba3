import { expect, test } from "@jest/globals";
import { checkFilter } from "./check-filter.js";

const NOW = Date.UTC(2026, 10, 24, 6);
const HOUR_MS = 3_600_000;
const ID = "019A0000-0000-7000-8000-000000000001";

const check = (input: unknown) => checkFilter(input, { now: NOW });
const faultsOf = (input: unknown) => check(input).faults.map(({ path, message }) => `${path} ${message}`);

test("a sound filter comes out with lists, ids in lower case and instants in milliseconds", () => {
  const input = {
    type: "mail.*",
    state: "overdue",
    key: "k",
    live: true,
    tag: ["vip"],
    id: ID,
    batch: ID,
    createdFrom: "24h",
    createdTo: new Date(NOW),
    dueTo: "1h",
    dueFrom: "-1h",
    scheduledFrom: 5,
    priorityFrom: 0,
    attemptTo: 1_000,
    not: { reason: "ATTEMPTS", error: "x", node: undefined },
  };
  expect(check(input)).toEqual({
    faults: [],
    filter: {
      type: ["mail.*"],
      states: ["overdue"],
      key: "k",
      live: true,
      tag: ["vip"],
      id: [ID.toLowerCase()],
      batch: ID.toLowerCase(),
      createdFrom: NOW - 24 * HOUR_MS,
      createdTo: NOW,
      dueTo: NOW + HOUR_MS,
      dueFrom: NOW - HOUR_MS,
      scheduledFrom: 5,
      priorityFrom: 0,
      attemptTo: 1_000,
      not: { reason: ["ATTEMPTS"], error: "x" },
    },
  });
});

test("all faults of a filter are told at once, each with its path", () => {
  const input = {
    typ: "mail",
    type: [],
    state: ["ded"],
    key: "",
    keyPrefix: "a",
    live: "yes",
    tag: Array(9).fill("t"),
    id: ["x"],
    createdFrom: "soon",
    dueFrom: 10,
    dueTo: 10,
    priorityTo: 10,
    attemptFrom: 1.5,
    batch: null,
    not: { tag: "a\0", key: "k", tags: "a", node: "\ud800" },
  };
  expect(faultsOf(input)).toEqual([
    'typ is not a field of a filter; did you mean "type"?',
    "type must not be empty",
    "key must be 1 to 256 characters",
    "live must be true or false",
    "tag must not hold more than 8 values",
    "id[0] must be a UUID",
    'createdFrom must be an instant, such as "2026-11-24T06:00:00Z", "2026-11-24" or "06:00", or a duration, such as "15m"',
    "priorityTo must be a whole number of 0 to 9",
    "attemptFrom must be a whole number of 0 to 1000",
    "batch must be a string",
    expect.stringMatching(/^state\[0\] must be one of scheduled, .*, ended; did you mean "dead"\?$/),
    "not.tag must not contain NUL",
    "not.key cannot be negated",
    'not.tags is not a field of a filter; did you mean "tag"?',
    "not.node must not contain a lone surrogate",
    "dueTo must be after dueFrom",
    "keyPrefix must have one whole type beside it",
  ]);
});

test.each([
  [null, "must be an object"],
  [["type"], "must be an object"],
  [{ not: [] }, "not must be an object"],
  [{ states: ["dead"], state: "dead" }, "state must not be given beside states, which is the same"],
  [{ type: "*" }, "type must have a * at its end alone, behind a beginning"],
  [{ type: ["a*b"] }, "type[0] must have a * at its end alone, behind a beginning"],
  [{ error: "x".repeat(201) }, "error must be 1 to 200 characters"],
  [{ createdFrom: "-1h" }, "createdFrom must be an instant"],
  [{ createdFrom: "2026-02-30" }, "createdFrom must be an instant"],
  [{ createdFrom: 0.5 }, "createdFrom must be an instant"],
  [{ createdTo: "8640000000000000s" }, "createdTo must be an instant"],
  [{ priorityFrom: 3, priorityTo: 2 }, "priorityTo must not be less than priorityFrom"],
  [{ keyPrefix: "a", type: "b*" }, "keyPrefix must have one whole type beside it"],
  [{ live: true, state: "ended" }, "live must not be true beside states that have ended"],
  [{ reason: "requested" }, "reason must be one of ATTEMPTS"],
  [{ fingerprint: "C0FA630D3512" }, "fingerprint must be 12 hex digits in lower case"],
  [{ fingerprint: ["c0fa630d3512", "c0fa630d351"] }, "fingerprint[1] must be 12 hex digits in lower case"],
  [{ fingerprint: Array(51).fill("c0fa630d3512") }, "fingerprint must not hold more than 50 values"],
  [{ not: { fingerprint: "c0fa630d3512" } }, "not.fingerprint cannot be negated"],
])("the filter %j is refused: %s", (input, message) => {
  const faults = faultsOf(input);
  expect(faults).toHaveLength(1);
  expect(faults[0]!.trim().startsWith(message)).toBe(true);
});

test("a filter has at most twenty conditions, negated ones too", () => {
  const ranges = ["created", "due", "scheduled", "started", "finished"].flatMap((name) => [`${name}From`, `${name}To`]);
  const input = Object.fromEntries(ranges.map((name, at) => [name, at]));
  const others = {
    type: "a",
    state: "dead",
    key: "k",
    tag: "t",
    node: "n",
    error: "e",
    priorityFrom: 1,
    attemptFrom: 1,
  };
  const not = { type: "b", tag: "u" };
  expect(faultsOf({ ...input, ...others, not })).toEqual([]);
  expect(faultsOf({ ...input, ...others, not: { ...not, node: "m" } })).toEqual([
    " must not have more than 20 conditions",
  ]);
});
