import { expect, test } from "@jest/globals";
import { nothingFound, paletteGroups, type PaletteSource } from "./palette-items.js";

const went: string[] = [];
const source: PaletteSource = {
  found: nothingFound,
  commands: [{ name: "Cancel task…", icon: "x", run: () => undefined }],
  pages: [
    { name: "Tasks", icon: "tasks", href: "#/tasks" },
    { name: "New task", icon: "plus", href: "#/new" },
  ],
  go: (href) => went.push(href),
};
const namesFor = (typed: string) =>
  paletteGroups(typed, source).map(({ name, items }) => [name, ...items.map((item) => item.name)]);

test("the palette lists, with nothing typed, all that can be done, then all pages", () => {
  expect(namesFor("")).toEqual([
    ["Do", "Cancel task…"],
    ["Go", "Tasks", "New task"],
  ]);
});

test("the palette finds words in any order", () => {
  expect(namesFor("task new")[0]).toEqual(["Go", "New task"]);
});

test("an id in the palette leads to its task or its batch, whatever its case", () => {
  const id = "0199C0DE-0000-7000-8000-000000000001";
  const [find] = paletteGroups(` ${id} `, source);
  for (const item of find?.items ?? []) item.run();
  expect([find?.name, ...went]).toEqual(["Find", `#/tasks/${id.toLowerCase()}`, `#/batches/${id.toLowerCase()}`]);
});

test("any other text in the palette may be a key; only a text without a space may be a type or a batch's name", () => {
  expect(namesFor("order 7")).toEqual([["Find", "Tasks with the key order 7"]]);
  expect(namesFor("order.7")).toEqual([
    ["Find", "Tasks with the key order.7", "Tasks of the type order.7", "Batches whose name begins with order.7"],
  ]);
  paletteGroups("order 7", source)[0]?.items[0]?.run();
  expect(went.at(-1)).toBe("#/tasks?q=key:%22order+7%22");
});

test("the palette finds what has the typed name: names that begin with it first, at most five of a kind", () => {
  const found = {
    tasks: [{ id: "7", key: "mail-1", type: "mail.send" }],
    types: ["old.mail", "mail.send", "other"],
    schedules: ["mail.daily"],
    nodes: [{ name: "mailer", label: "10.0.0.1:7" }],
    batches: [{ id: "8", name: "mailing" }],
  };
  const group = paletteGroups("Mail", { ...source, found }).find(({ name }) => name === "Found");
  expect(group?.items.map(({ name, note }) => `${name}: ${note}`)).toEqual([
    "mail-1: a task of mail.send",
    "mail.send: a type",
    "old.mail: a type",
    "mail.daily: a schedule",
    "mailer, 10.0.0.1:7: a node",
    "mailing: a batch",
  ]);
  for (const item of group?.items ?? []) item.run();
  expect(went.slice(-6)).toEqual([
    "#/tasks/7",
    "#/types/mail.send",
    "#/types/old.mail",
    "#/schedules/mail.daily",
    "#/cluster?node=10.0.0.1%3A7",
    "#/batches/8",
  ]);
  const many = { ...nothingFound, types: Array.from({ length: 9 }, (_, index) => `mail.${index}`) };
  expect(paletteGroups("mail", { ...source, found: many })[0]?.items).toHaveLength(5);
});
