import { describe, expect, test } from "@jest/globals";
import { EVENT_NAMES, type EventEntry, EVENTS, METRICS } from "@tickwheel/core";
import { read, typeScriptFiles } from "./project-files.js";

/** The libraries' sources without their comments, by path. */
const sources = new Map(
  typeScriptFiles()
    .filter((path) => /^libs\/[^/]+\/src\//.test(path) && !/^libs\/(testing|conformance|simulation)\//.test(path))
    .filter((path) => !path.endsWith(".spec.ts") && !/^libs\/core\/src\/system\/event(s|-facts)\.ts$/.test(path))
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

/** What only the audit calls so. */
const AUDITED = ["operation.create"];

function eventsInSources(): string[] {
  const literals = found(
    /"((?:batch|breaker|broker|cluster|engine|node|operation|payload|schedule|settings|store|task)\.[a-z_]+(?:\.[a-z_]+)*)"/g,
  );
  const isAudited = (name: string): boolean => AUDITED.includes(name);
  const isPart = (name: string): boolean => /^engine\.[a-z_]+$/.test(name);
  const parts = literals.filter((name) => isPart(name) && !ONLY_SHOWN.includes(name));
  const made = Object.values(MADE).flatMap((names) => names());
  return [
    ...new Set([...literals.filter((name) => !isPart(name) && !isAudited(name)), ...ofParts(parts), ...made]),
  ].sort();
}

describe("the spans in docs/telemetry.md", () => {
  const [, section] = read("docs/telemetry.md").split("\n## Spans\n");
  const told = section!.split("\n## ", 1)[0]!;
  const code = [...sources].filter(([path]) => path.startsWith("libs/observability/src/traces/"));
  const text = code.map(([, source]) => source).join("\n");

  test("the spans in docs/telemetry.md have every attribute that the code sets, and no other", () => {
    const attributes = found(/"((?:messaging|error|tickwheel)\.[a-z_.]+)"/g, text);
    expect(attributes.length).toBeGreaterThan(10);
    expect(found(/^\| `([a-z_.]+)` +\| (?:both|create|process) /gm, told).toSorted()).toEqual(attributes.toSorted());
  });

  test("the spans in docs/telemetry.md have every name and kind that the code makes, and no other", () => {
    const named = [...told.matchAll(/^\| `(\w+) \{type\}` +\| ([A-Z]+) /gm)].map(([, name, kind]) => `${name} ${kind}`);
    const names = found(/`(\w+) \$\{facts\.type\}`/g, text);
    const kinds = found(/SpanKind\.([A-Z]+)/g, text);
    expect(named).toEqual(names.map((name, index) => `${name} ${kinds[index]}`));
  });

  test("the spans in docs/telemetry.md have every outcome of a run", () => {
    const results = found(/\| \{\s*kind: "(\w+)"/g, sources.get("libs/core/src/ports/executor.ts"));
    expect(results).toHaveLength(5);
    const [, row] = /^\| `tickwheel\.outcome`.*of a run (.*?) +\|$/m.exec(told)!;
    expect(found(/`(\w+)`/g, row).toSorted()).toEqual([...results, "timed_out"].toSorted());
  });
});

describe("the catalogue of events", () => {
  test("the catalogue of events has every event of the libraries, and no other", () => {
    expect(EVENT_NAMES.toSorted()).toEqual(eventsInSources());
  });

  test("the catalogue of events knows all the ways in which an event's name is put together", () => {
    const templates = found(/`((?:cluster|engine|node|store|task)\.[^`]*\$\{[^`]*)`/g);
    expect(templates.toSorted()).toEqual(Object.keys(MADE).toSorted());
  });

  test("the catalogue of events says at which level each event is told", () => {
    const levels: Readonly<Record<string, EventEntry>> = EVENTS;
    const told = [...all.matchAll(/name: "([a-z_.]+)",\s*level: "([a-z]+)"/g)].map(([, name, level]) => [name, level]);
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter(([name, level]) => levels[name!]?.level !== level)).toEqual([]);
  });
});

describe("the libraries' sources", () => {
  const own = [...sources].filter(([path]) => !/^libs\/(local-services|dashboard-files)\//.test(path));

  test("the libraries' sources write to no console and to no stream of the process", () => {
    const writers = own.filter(([, text]) => /\bconsole\.|process\.(stdout|stderr)\b/.test(text));
    expect(writers.map(([path]) => path)).toEqual([]);
  });

  test("the libraries' sources use Nest's logger only where Nest is, and no other logger", () => {
    const loggers = own.filter(([, text]) => /\bnew (Console)?Logger\b|from "pino"/.test(text));
    expect(loggers.length).toBeGreaterThan(3);
    expect(loggers.map(([path]) => path).filter((path) => !/^libs\/(api|nestjs)\//.test(path))).toEqual([]);
  });
});

describe("the catalogue of metrics", () => {
  test("the catalogue of metrics has no metric that is not read somewhere", () => {
    const isRead = (name: string): boolean =>
      [...sources].some(([path, text]) => path !== "libs/core/src/system/metrics.ts" && text.includes(`"${name}"`));
    expect(Object.keys(METRICS).filter((name) => !isRead(name))).toEqual([]);
  });

  test("the catalogue of metrics follows the conventions of names", () => {
    for (const [name, { kind, labels }] of Object.entries(METRICS)) {
      expect({ name, isCounter: name.endsWith("_total") }).toEqual({ name, isCounter: kind === "counter" });
      if (kind === "histogram") expect(name).toMatch(/_seconds$/);
      expect(labels.filter((label) => !/^[a-z]+$/.test(label))).toEqual([]);
    }
  });
});
