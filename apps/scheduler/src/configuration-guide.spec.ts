import { hostname } from "node:os";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type NumberKind, OPTION_RULES } from "@tickwheel/core";
import { DELAY_TASK_OPTION_NAMES, resolveDelayTaskOptions } from "@tickwheel/nestjs/internals";
import { describeEnvironment, parseEnvironment } from "./environment.js";

const guide = readFileSync(new URL("../../../docs/guides/configuration.md", import.meta.url), "utf8");

/** The rows of the table below a heading, each with its cells. */
function rowsOf(heading: string): string[][] {
  const [, section] = guide.split(`\n## ${heading}\n`);
  const lines = section!.split(/\n## /, 1)[0]!.match(/^\| `.*\|$/gm) ?? [];
  return lines.map((line) => line.split("|").slice(1, -1).map(unquoted));
}

const unquoted = (cell: string): string => cell.trim().replace(/^`([^`]*)`$/, "$1");

/** By the first cell, another one. */
const column = (rows: string[][], at: number): Record<string, string> =>
  Object.fromEntries(rows.map((row) => [row[0]!, row[at]!]));

const own = rowsOf("DelayTaskModule");
const named = rowsOf("Times and limits");
const variables = rowsOf("The stand-alone node");

test("the guide names every option of the module once, and no other, and says what it means", () => {
  expect([...own, ...named].map(([name]) => name!).sort()).toEqual(DELAY_TASK_OPTION_NAMES.toSorted());
  expect([...own, ...named, ...variables].filter((row) => row.at(-1)!.length < 10)).toEqual([]);
});

test("the defaults of the module's own options are those of the code", () => {
  const url = "postgres://localhost/app";
  const { webhookHosts: _hosts, ...resolved } = resolveDelayTaskOptions({ url });
  const none = { dataSource: "none", transactions: "none", url: "none" };
  const actual: Record<string, unknown> = { ...resolved, webhookAllowedHosts: [], ...none };
  const expected = own.map(([name]) => {
    if (name === "nodeName") return [name, "the machine's name"];
    const value = name === "listenUrl" ? "none" : actual[name!];
    return [name, value === "none" ? value : JSON.stringify(value)];
  });
  expect(resolved).toMatchObject({ dataSource: null, transactions: null, listenUrl: null, nodeName: hostname() });
  expect(column(own, 1)).toEqual(Object.fromEntries(expected));
});

const withCommas = (value: number): string => value.toLocaleString("en");
const UNITS: Record<NumberKind, string> = {
  duration: "ms",
  bytes: "bytes",
  days: "days",
  beats: "beats",
  count: "count",
};
const SHOWN_UNITS: Record<NumberKind, string> = {
  duration: "Milliseconds",
  bytes: "Bytes",
  days: "Days",
  beats: "Beats",
  count: "Count",
};

test("the defaults, bounds and units of times and limits are those of the code", () => {
  const defaults = Object.entries(DEFAULT_OPTIONS).map(([name, value]) => [name, String(value)]);
  expect(column(named, 2)).toEqual(Object.fromEntries(defaults));
  const unitOf = (name: string): string => /(Ms|Bytes|Days|Beats)$/.exec(name)?.[0]!.toLowerCase() ?? "count";
  expect(column(named, 4)).toEqual(Object.fromEntries(named.map(([name]) => [name, unitOf(name!)])));
  const rules = Object.entries(OPTION_RULES);
  expect(column(named, 4)).toEqual(Object.fromEntries(rules.map(([name, { kind }]) => [name, UNITS[kind]])));
  const bounds = rules.map(([name, { least, most }]) => [name, `${withCommas(least)} … ${withCommas(most)}`]);
  expect(column(named, 3)).toEqual(Object.fromEntries(bounds));
});

test("the editor shows the unit, the bounds and the default of each of them", () => {
  const source = readFileSync(new URL("../../../libs/core/src/options/options.ts", import.meta.url), "utf8");
  for (const [name, value] of Object.entries(DEFAULT_OPTIONS)) {
    const [, shown = ""] = new RegExp(String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s+${name}:`).exec(source) ?? [];
    const { kind, least, most } = OPTION_RULES[name as keyof typeof OPTION_RULES];
    expect(shown.replace(/\s+\*\s+/g, " ")).toContain(
      `${SHOWN_UNITS[kind]}, ${withCommas(least)} to ${withCommas(most)}; default ${withCommas(value)}.`,
    );
  }
});

test("the guide names every variable that a node reads, with its default", () => {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    { get: (_target, name) => void read.add(String(name)) },
  );
  const shown = describeEnvironment(parseEnvironment(environment)).map((line) => line.split(/=(.*)/, 2));
  expect([...variables.map(([name]) => name!), ...named.map((row) => row[1]!)].sort()).toEqual([...read].sort());
  expect(column(variables, 1)).toEqual(Object.fromEntries(shown));
});
