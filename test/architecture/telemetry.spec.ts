import { describe, expect, test } from "@jest/globals";
import { EVENT_NAMES, METRICS } from "@tickwheel/core";
import { read, typeScriptFiles } from "./project-files.js";

/** The libraries' sources without their comments, by path. */
const sources = new Map(
  typeScriptFiles()
    .filter((path) => /^libs\/[^/]+\/src\//.test(path) && !/^libs\/(testing|conformance|simulation)\//.test(path))
    .filter((path) => !path.endsWith(".spec.ts") && path !== "libs/core/src/system/event-names.ts")
    .map((path) => [path, read(path).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")]),
);
const all = [...sources.values()].join("\n");

/** What a pattern's group finds in these sources, each once. */
function found(pattern: RegExp, text = all): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, group]) => group!))];
}

/**
 * Names that the sources put together, each with the code that does it and what it can make. A new one has to be added
 * here.
 */
const MADE: Readonly<Record<string, () => string[]>> = {
  "engine.drain.${step}_failed": () =>
    found(/\bstep\("([a-z]+)"/g, sources.get("libs/engine/src/node/drain.ts")).map(
      (step) => `engine.drain.${step}_failed`,
    ),
  "engine.${this.part}": () => ofParts(found(/\bsuper\("([a-z_]+)", /g).map((part) => `engine.${part}`)),
  "engine.${part}": () => ofParts(found(/\bthis\.queue\("([a-z]+)"/g).map((part) => `engine.${part}`)),
  "cluster.${part}": () => ofParts(["cluster.postgres", "cluster.redis", "cluster.heartbeat", "cluster.messages"]),
  "engine.${string}": () => [],
};

/** What is shown as degraded in the cluster's report, and never told. */
const ONLY_SHOWN = ["engine.quarantine"];

/** What `Health` tells of a part. */
function ofParts(parts: readonly string[]): string[] {
  return parts.flatMap((part) => [`${part}.degraded`, `${part}.recovered`]);
}

function eventsInSources(): string[] {
  const literals = found(/"((?:batch|cluster|engine|node|payload|schedule|store|task)\.[a-z_]+(?:\.[a-z_]+)*)"/g);
  const isPart = (name: string): boolean => /^engine\.[a-z_]+$/.test(name);
  const parts = literals.filter((name) => isPart(name) && !ONLY_SHOWN.includes(name));
  const made = Object.values(MADE).flatMap((names) => names());
  return [...new Set([...literals.filter((name) => !isPart(name)), ...ofParts(parts), ...made])].sort();
}

const rows = [
  ...read("docs/telemetry.md").matchAll(/^\| `([a-z_]+\.[a-z_.]+)` +\| (\w+) +\| (\S.*?) +\| (\S.*?) +\|$/gm),
];

describe("docs/telemetry.md", () => {
  test("lists every event of the libraries, and no other", () => {
    const listed = rows.map(([, name]) => name!);
    expect(listed.toSorted()).toEqual(eventsInSources());
    expect(listed.toSorted()).toEqual([...EVENT_NAMES].sort());
  });

  test("knows all the ways in which a name is put together", () => {
    const templates = found(/`((?:cluster|engine|node|store|task)\.[^`]*\$\{[^`]*)`/g);
    expect(templates.toSorted()).toEqual(Object.keys(MADE).toSorted());
  });

  test("says at which level each is told", () => {
    const levels = new Map(rows.map(([, name, level]) => [name, level]));
    const told = [...all.matchAll(/name: "([a-z_.]+)",\s*level: "([a-z]+)"/g)].map(([, name, level]) => [name, level]);
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter(([name, level]) => levels.get(name!) !== level)).toEqual([]);
  });
});

describe("the metrics of docs/telemetry.md", () => {
  const METRIC = /^\| `(tickwheel_[a-z_]+)` +\| (\w+) +\| (\S.*?) +\| (\S.*?) +\|$/gm;
  const listed = [...read("docs/telemetry.md").matchAll(METRIC)].map(([, name, kind, labels, help]) => ({
    ...{ name, kind, help },
    labels: labels === "none" ? [] : labels!.split(", ").map((label) => label.replaceAll("`", "")),
  }));

  test("are those of the catalogue, with their kinds, labels and meanings", () => {
    const catalogue = Object.entries(METRICS).map(([name, { kind, labels, help }]) => ({ name, kind, help, labels }));
    expect(listed).toEqual(catalogue);
  });

  test("are all read somewhere", () => {
    const isRead = (name: string): boolean =>
      [...sources].some(([path, text]) => path !== "libs/core/src/system/metrics.ts" && text.includes(`"${name}"`));
    expect(Object.keys(METRICS).filter((name) => !isRead(name))).toEqual([]);
  });

  test("follow the conventions of names", () => {
    for (const [name, { kind, labels }] of Object.entries(METRICS)) {
      expect({ name, isCounter: name.endsWith("_total") }).toEqual({ name, isCounter: kind === "counter" });
      if (kind === "histogram") expect(name).toMatch(/_seconds$/);
      expect(labels.filter((label) => !/^[a-z]+$/.test(label))).toEqual([]);
    }
  });
});
