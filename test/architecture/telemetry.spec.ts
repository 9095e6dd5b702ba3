import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { EVENT_NAMES, METRICS } from "@tickwheel/core";
import ts from "typescript";
import { read, root, typeScriptFiles } from "./project-files.js";

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

const FACTS_FILE = join(root, "libs/core/src/system/event-facts.ts");

/** The names of an event's facts, sorted, as `EventFacts` has them: the compiler knows what its types come to. */
function typedFacts(): Map<string, string[]> {
  const program = ts.createProgram([FACTS_FILE], { strict: true, module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FACTS_FILE)!;
  const facts = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === "EventFacts")!;
  const properties = checker.getTypeAtLocation(facts).getProperties();
  return new Map(
    properties.map((property) => {
      const type = checker.getTypeOfSymbol(property);
      return [
        property.name,
        checker
          .getPropertiesOfType(type)
          .map(({ name }) => name)
          .sort(),
      ];
    }),
  );
}

/** Those of events that `EventFacts` does not name: see `FactsOf`. */
function untypedFacts(event: string): string[] {
  if (event.endsWith(".degraded")) return ["part"];
  return event.endsWith(".recovered") ? ["lastedMs", "part"] : [];
}

const rows = [
  ...read("docs/telemetry.md").matchAll(/^\| `([a-z_]+\.[a-z_.]+)` +\| (\w+) +\| (\S.*?) +\| (\S.*?) +\|$/gm),
];

describe("the spans in docs/telemetry.md", () => {
  const [, section] = read("docs/telemetry.md").split("\n## Spans\n");
  const told = section!.split("\n## ", 1)[0]!;
  const code = [...sources].filter(([path]) => path.startsWith("libs/observability/src/traces/"));
  const text = code.map(([, source]) => source).join("\n");

  test("have every attribute that the code sets, and no other", () => {
    const attributes = found(/"((?:messaging|error|tickwheel)\.[a-z_.]+)"/g, text);
    expect(attributes.length).toBeGreaterThan(10);
    expect(found(/^\| `([a-z_.]+)` +\| (?:both|create|process) /gm, told).toSorted()).toEqual(attributes.toSorted());
  });

  test("have every name and kind that the code makes, and no other", () => {
    const named = [...told.matchAll(/^\| `(\w+) \{type\}` +\| ([A-Z]+) /gm)].map(([, name, kind]) => `${name} ${kind}`);
    const names = found(/`(\w+) \$\{facts\.type\}`/g, text);
    const kinds = found(/SpanKind\.([A-Z]+)/g, text);
    expect(named).toEqual(names.map((name, index) => `${name} ${kinds[index]}`));
  });

  test("have every outcome of a run", () => {
    const results = found(/\| \{\s*kind: "(\w+)"/g, sources.get("libs/core/src/ports/executor.ts"));
    expect(results).toHaveLength(5);
    const [, row] = /^\| `tickwheel\.outcome`.*of a run (.*?) +\|$/m.exec(told)!;
    expect(found(/`(\w+)`/g, row).toSorted()).toEqual([...results, "timed_out"].toSorted());
  });
});

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

  test("names the facts that each has by its type, and no other", () => {
    const typed = typedFacts();
    expect(typed.get("task.dead")).toContain("maxAttempts");
    const expected = EVENT_NAMES.map((name) => [name, typed.get(name) ?? untypedFacts(name)]);
    const named = rows.map(([, name, , , facts]) => [
      name!,
      found(/`([a-z]\w*)`/g, facts!.replaceAll(/\([^)]*\)/g, "")).sort(),
    ]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(expected));
    expect([...typed.keys()].filter((name) => !EVENT_NAMES.includes(name as never))).toEqual([]);
  });
});

describe("the libraries' sources", () => {
  const own = [...sources].filter(([path]) => !/^libs\/(local-services|dashboard-files)\//.test(path));

  test("write to no console and to no stream of the process", () => {
    const writers = own.filter(([, text]) => /\bconsole\.|process\.(stdout|stderr)\b/.test(text));
    expect(writers.map(([path]) => path)).toEqual([]);
  });

  test("use Nest's logger only where Nest is, and no other", () => {
    const loggers = own.filter(([, text]) => /\bnew (Console)?Logger\b|from "pino"/.test(text));
    expect(loggers.length).toBeGreaterThan(3);
    expect(loggers.map(([path]) => path).filter((path) => !/^libs\/(api|nestjs)\//.test(path))).toEqual([]);
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
