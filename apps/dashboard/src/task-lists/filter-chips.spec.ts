import { expect, test } from "@jest/globals";
import { chipsOf, unsaidFields, without } from "./filter-chips.js";

const texts = (line: string): string[] => chipsOf(line, "utc").map(({ word, text }) => `${word}: ${text}`);

test("chips tell a filter in the order of its line, what must not hold last", () => {
  expect(texts('-tag:vip,"a b" key:order-* state:dead,expired type:mail.* live:false')).toEqual([
    "state: dead, expired",
    "type: mail.*",
    "keyPrefix: order-",
    "live: false",
    "not tag: vip, a b",
  ]);
});

test.each([
  ["created:<24h", "created: last 1 d"],
  ["created:>2d", "created: more than 2 d ago"],
  ["created:1h..2h", "created: from 2 h ago to 1 h ago"],
  ["created:2026-11-23T23:00Z..2026-11-24T06:00:10Z", "created: from 2026-11-23 23:00 to 2026-11-24 06:00:10"],
  ["finished:<2026-11-24T00:00Z", "finished: before 2026-11-24 00:00"],
  ["started:>2026-11-24T00:00Z", "started: from 2026-11-24 00:00 on"],
  ["due:<90m", "due: within 1 h 30 min or overdue"],
  ["scheduled:<1h", "scheduled: within 1 h or past"],
  ["due:>1h", "due: in 1 h or later"],
  ["due:<-5m", "due: more than 5 min ago"],
  ["due:>-5m", "due: last 5 min"],
  ["due:-5m..1h", "due: from 5 min ago to in 1 h"],
  ["attempt:3", "attempt: 3"],
  ["attempt:>3", "attempt: 4 or more"],
  ["priority:..2", "priority: at most 2"],
  ["priority:1..3", "priority: 1 to 3"],
])("the line %s is told by the chip %s", (line, text) => {
  expect(texts(line)).toEqual([text]);
});

test("a filter on tasks overdue since some time has two chips", () => {
  expect(texts("late:>5m")).toEqual(["state: overdue", "due: more than 5 min ago"]);
});

test("a chip that is removed leaves the other chips, and a negated chip leaves what must hold", () => {
  const line = "type:mail tag:a created:1h..2h -tag:b";
  const left = chipsOf(line, "utc").map((chip) => without(line, chip));
  expect(left).toEqual([
    "tag:a created:1h..2h -tag:b",
    "type:mail created:1h..2h -tag:b",
    "type:mail tag:a -tag:b",
    "type:mail tag:a created:1h..2h",
  ]);
});

test("a filter's field is offered until the line says what must hold of it", () => {
  const words = unsaidFields("type:mail created:<1h -tag:b").map(([, { word }]) => word);
  expect([words.includes("type"), words.includes("created"), words.includes("tag")]).toEqual([false, false, true]);
});
