import { expect, test } from "@jest/globals";
import { formatLine } from "./format-line.js";
import { checkLine, parseLine } from "./parse-line.js";

const NOW = Date.UTC(2026, 10, 24, 6);
const ID = "019a0000-0000-7000-8000-000000000001";

test.each([
  ["", {}],
  ["state:dead,failing type:mail.send,mail.*", { states: ["dead", "failing"], type: ["mail.send", "mail.*"] }],
  ["key:a:b", { key: "a:b" }],
  ["key:order-* type:a", { keyPrefix: "order-", type: ["a"] }],
  ['key:"a*"', { key: "a*" }],
  ['keyPrefix:"a b" type:a', { keyPrefix: "a b", type: ["a"] }],
  [String.raw`tag:"a,b" tag:"say \"no\" \\",vip -tag:x`, { tag: ["a,b", 'say "no" \\', "vip"], not: { tag: ["x"] } }],
  [`${ID}`, { id: [ID] }],
  [`batch:${ID} live:false`, { batch: ID, live: false }],
  [
    "created:<24h started:>1h finished:1h..24h",
    { createdFrom: "24h", startedTo: "1h", finishedFrom: "24h", finishedTo: "1h" },
  ],
  ["created:2026-11-23..1h", { createdFrom: "2026-11-23", createdTo: "1h" }],
  ["created:>06:00", { createdFrom: "06:00" }],
  ["due:<1h scheduled:1h..2h", { dueTo: "1h", scheduledFrom: "1h", scheduledTo: "2h" }],
  ["due:>2026-11-24T06:00:00Z due:<2026-11-25", { dueFrom: "2026-11-24T06:00:00Z", dueTo: "2026-11-25" }],
  ["late:>5m", { states: ["overdue"], dueTo: "-5m" }],
  ["late:1m..5m", { states: ["overdue"], dueFrom: "-5m", dueTo: "-1m" }],
  ["priority:3 attempt:>2", { priorityFrom: 3, priorityTo: 3, attemptFrom: 3 }],
  ["priority:<3 attempt:2..", { priorityTo: 2, attemptFrom: 2 }],
  [
    '-node:n -error:"a b" reason:CRASHES by:key:1',
    { reason: ["CRASHES"], createdBy: ["key:1"], not: { node: "n", error: "a b" } },
  ],
  [String.raw`error:\d+"`, { error: String.raw`\d+"` }],
])("the filter line %s is read", (line, input) => {
  const read = parseLine(line);
  expect(read.faults).toEqual([]);
  expect(read.input).toEqual(input);
  expect(parseLine(formatLine(input as object)).input).toEqual(input);
});

test("a filter with one value for a list, and `state`, is written as the list would be", () => {
  expect(formatLine({ state: "dead", type: "a", not: { tag: "x y" } })).toBe('state:dead type:a -tag:"x y"');
  expect(formatLine({ createdFrom: new Date(NOW), dueTo: NOW })).toBe(
    "created:>2026-11-24T06:00:00.000Z due:<2026-11-24T06:00:00.000Z",
  );
});

test("the field `late` of a filter line means overdue since so long", () => {
  expect(checkLine("late:>5m", { now: NOW }).filter).toEqual({ states: ["overdue"], dueTo: NOW - 300_000 });
  expect(formatLine({ states: ["overdue"], dueTo: "-5m" })).toBe("late:>5m");
});

test("all faults of a filter line are told at once, each with its place", () => {
  const line = `typ:a state:ded order-1 -key:k key:a,b priority:x created:24h tag:"x late:soon`;
  const { faults } = checkLine(line, { now: NOW });
  expect(faults.map(({ from, to, message }) => [line.slice(from, to), message])).toEqual([
    ["typ:a", 'is not a field of a filter; did you mean "type"?'],
    ["order-1", 'has "order-1" without a field before it, such as "key:order-1"'],
    ["-key:k", "cannot be negated"],
    ["key:a,b", "takes one value; a comma stands in quotation marks"],
    ["priority:x", 'must be a number or a range of them, such as "3", ">3" or "1..3"'],
    ["created:24h", 'must be a range, such as "<24h", ">2026-11-24" or "06:00..07:00"'],
    ['tag:"x late:soon', "has a quotation mark that is never closed"],
    ["state:ded", expect.stringContaining('did you mean "dead"?')],
  ]);
});

test.each([
  ["type:a type:b", "type:b", "is said twice"],
  ["due:>1h due:>2h", "due:>2h", "is said twice"],
  ["late:>5m state:dead", "state:dead", "is said twice"],
  [`id:${ID} ${ID}`, ID, "is said twice"],
  ["late:>06:00", "late:>06:00", 'must be a range of durations, such as ">5m"'],
  ["late:-5m", "late:-5m", 'must be a range of durations, such as ">5m"'],
  ["-late:>5m", "-late:>5m", "is not a field of a filter"],
  [":x", ":x", "is not a field of a filter"],
  ['tag:"a"b', 'tag:"a"b', "goes on behind its quotation marks"],
  ["tag:a,", "tag:a,", "must be 1 to 64 characters"],
  ["-tag:a -tag:", "-tag:", "must be 1 to 64 characters"],
  ["created:<soon", "created:<soon", "must be an instant"],
  ["created:..", "created:..", "must be a range"],
  ["due:2h..1h", "due:2h..1h", "must be after dueFrom"],
  ["priority:<0", "priority:<0", "must be a whole number of 0 to 9"],
  ["attempt:1..x", "attempt:1..x", "must be a whole number of 0 to 1000"],
  ["live:yes", "live:yes", "must be true or false"],
  ["key:*", "key:*", "must be 1 to 256 characters"],
])("the line %s has a fault of %s: %s", (line, part, message) => {
  const { faults } = checkLine(line, { now: NOW });
  expect(faults.map(({ from, to }) => line.slice(from, to))).toContain(part);
  expect(faults.some((fault) => fault.message.startsWith(message))).toBe(true);
});

test("a filter line that is too long is not read", () => {
  expect(parseLine(`key:${"k".repeat(1_997)}`).faults).toEqual([
    { path: "", message: "must not be longer than 2000 characters", from: 2_000, to: 2_001 },
  ]);
});
