import { hostname } from "node:os";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
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

test("the configuration guide names every option of the module once, and no other, and says what it means", () => {
  expect([...own, ...named].map(([name]) => name!).sort()).toEqual(DELAY_TASK_OPTION_NAMES.toSorted());
  expect([...own, ...named, ...variables].filter((row) => row.at(-1)!.length < 10)).toEqual([]);
});

test("the guide's defaults of the module's own options are those of the code", () => {
  const url = "postgres://localhost/app";
  const { webhookHosts: _hosts, brokers: _targets, ...resolved } = resolveDelayTaskOptions({ url });
  const none = { dataSource: "none", transactions: "none", url: "none" };
  const actual: Record<string, unknown> = { ...resolved, webhookAllowedHosts: [], brokers: {}, ...none };
  const expected = own.map(([name]) => {
    if (name === "nodeName") return [name, "the machine's name"];
    const value = name === "listenUrl" ? "none" : actual[name!];
    return [name, value === "none" ? value : JSON.stringify(value)];
  });
  expect(resolved).toMatchObject({ dataSource: null, transactions: null, listenUrl: null, nodeName: hostname() });
  expect(column(own, 1)).toEqual(Object.fromEntries(expected));
});

test("the name of an option for a time or a limit ends in its unit", () => {
  const unitOf = (name: string): string => /(Ms|Bytes|Days|Beats)$/.exec(name)?.[0]!.toLowerCase() ?? "count";
  expect(named.length).toBeGreaterThan(40);
  expect(column(named, 4)).toEqual(Object.fromEntries(named.map(([name]) => [name, unitOf(name!)])));
});

test("the configuration guide names every variable that a node reads, with its default", () => {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    { get: (_target, name) => void read.add(String(name)) },
  );
  const shown = describeEnvironment(parseEnvironment(environment)).map((line) => line.split(/=(.*)/, 2));
  expect([...variables.map(([name]) => name!), ...named.map((row) => row[1]!)].sort()).toEqual([...read].sort());
  expect(column(variables, 1)).toEqual(Object.fromEntries(shown));
});
