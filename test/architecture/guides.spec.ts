import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import {
  DEFAULT_OPTIONS,
  EVENT_NAMES,
  MAX_PROGRESS_NOTE,
  MAX_STEP_NAME,
  MAX_STEPS,
  TASK_STATES,
  TERMINAL_REASONS,
  TRANSITIONS,
} from "@tickwheel/core";
import { guideBlocks, guideFences, NEST_GUIDE, SCHEDULES_GUIDE } from "../support/app/pasted-guide.js";
import { read, root } from "./project-files.js";

const guides = readdirSync(join(root, "docs/guides"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/guides/${name}`);
const troubleshooting = read("docs/guides/troubleshooting.md");

/** What a pattern's group finds, each once. */
function found(pattern: RegExp, text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, group]) => group!))];
}

test("the README leads to every guide", () => {
  const readme = read("README.md");
  expect(guides.filter((path) => !readme.includes(`](${path})`))).toEqual([]);
});

test.each(guides)("%s links to files that are there", (guide) => {
  const targets = found(/\]\(([^)#:]+)(?:#[^)]*)?\)/g, read(guide));
  expect(targets.filter((target) => !existsSync(join(root, dirname(guide), target)))).toEqual([]);
});

test("troubleshooting explains all that the engine says a task waits for", () => {
  const returns = found(/return (.*"[A-Z]+".*);/g, read("libs/engine/src/requests/waiting-for.ts"));
  const decided = found(/"([A-Z]+)"/g, returns.join("\n"));
  expect(decided).toHaveLength(6);
  expect(found(/`waitingFor: "([A-Z]+)"`/g, troubleshooting).toSorted()).toEqual(decided.toSorted());
});

test("troubleshooting names events that there are", () => {
  const named = found(/`((?:cluster|engine|node|task)\.[a-z_.]+)`/g, troubleshooting);
  const names: readonly string[] = ["engine.quarantine", ...EVENT_NAMES];
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

test("troubleshooting names findings as the nodes do", () => {
  const findings = read("libs/core/src/findings/sentences.ts");
  const named = found(/"(?:… )?([A-Z]?[a-z]+ [a-zA-Z ]+)"/g, troubleshooting.replaceAll(/`[^`]*`/g, ""));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((title) => !findings.includes(title))).toEqual([]);
});

describe("the guide for Nest", () => {
  const tests = ["integration/nest-guide", "integration/nest-guide.health", "e2e/nest-guide"]
    .map((name) => read(`test/${name}.spec.ts`))
    .join("\n");

  test("the guide for Nest has no block that no test runs", () => {
    const blocks = new Map(guideBlocks(NEST_GUIDE, ["ts"]).map(({ file, text }) => [file, text]));
    const loaded = found(/\.load<.*?>\("(src\/[\w-]+\.ts)"\)/g, tests);
    const started = found(/"dist\/([\w-]+)\.js"/g, tests).map((name) => `src/${name}.ts`);
    const imported = started.flatMap((file) => found(/from "\.\/([\w-]+)\.js"/g, blocks.get(file)!));
    const run = new Set([...loaded, ...started, ...imported.map((name) => `src/${name}.ts`)]);
    expect([...blocks.keys()].filter((file) => !run.has(file))).toEqual([]);
    expect(blocks.size).toBe(15);
  });

  test("the guide for Nest has blocks only in the languages that its tests look for", () => {
    expect(found(/^```(\w+)$/gm, read(NEST_GUIDE)).toSorted()).toEqual(["ts", "yaml"]);
  });

  test("the guide for Nest tells the defaults of options as they are", () => {
    const defaults: Readonly<Record<string, unknown>> = { ...DEFAULT_OPTIONS };
    const told = [...read(NEST_GUIDE).matchAll(/`(\w+)`\s\((\d+)(\ss)?\)/g)];
    expect(told.map(([, option]) => option)).toEqual(["deadRetentionDays", "historyRetentionDays", "drainTimeoutMs"]);
    for (const [, option, number, unit] of told)
      expect([option, Number(number) * (unit ? 1_000 : 1)]).toEqual([option, defaults[option!]]);
  });
});

describe("the guide for schedules", () => {
  const fences = guideFences(SCHEDULES_GUIDE);
  const spec = read("test/integration/schedules-guide.spec.ts");

  test("the guide for schedules has no block that no test runs", () => {
    const blocks = guideBlocks(SCHEDULES_GUIDE, ["ts"]).map(({ file }) => file);
    const loaded = found(/\.load<.*?>\("(src\/[\w-]+\.ts)"\)/g, spec);
    const started = found(/"dist\/([\w-]+)\.js"/g, spec).map((name) => `src/${name}.ts`);
    expect(blocks.toSorted()).toEqual([...loaded, ...started].toSorted());
    const languages = [...new Set(fences.map(({ language }) => language))];
    expect(languages.toSorted()).toEqual(["json", "sh", "text", "ts"]);
    expect(languages.filter((language) => language !== "ts" && !spec.includes(`language === "${language}"`))).toEqual(
      [],
    );
  });

  test("the guide for schedules has fences only in the languages that its tests look for", () => {
    expect(read(SCHEDULES_GUIDE).match(/^ *(```|~~~)/gm)).toHaveLength(2 * fences.length);
  });

  test("the guide for schedules has a table for each of the eight schedulers that people come from", () => {
    const [, section] = read(SCHEDULES_GUIDE).split("## From other schedulers\n");
    const parts = section!.split("\n## ")[0]!.split("\n### From ").slice(1);
    const names = parts.map((part) => part.split("\n")[0]);
    const eight = ["@nestjs/schedule", "node-cron", "BullMQ", "Quartz", "TBSchedule", "Elastic-Job", "XXL-JOB", "Oban"];
    expect(names).toEqual(eight);
    for (const part of parts) expect(part).toMatch(/\| +Tickwheel +\| what differs +\|/);
  });
});

describe("the guide for effects", () => {
  const guide = "docs/guides/effects.md";
  const text = read(guide).replaceAll(/\s+/g, " ");

  test("the guide for effects has no block that no test runs", () => {
    const loaded = found(/\.load<.*?>\("(src\/[\w-]+\.ts)"\)/g, read("test/integration/effects-guide.spec.ts"));
    expect(guideBlocks(guide, ["ts"]).map(({ file }) => file)).toEqual(loaded);
    expect(guideFences(guide)).toHaveLength(loaded.length);
  });

  test("the guide for effects tells the limits as they are", () => {
    expect(text).toContain(`A name has 1 to ${MAX_STEP_NAME} characters`);
    expect(text).toContain(`A task has at most ${MAX_STEPS} steps`);
    expect(text).toContain(`a note of at most ${MAX_PROGRESS_NOTE} characters`);
    expect(text).toContain(`\`resultLimitBytes\` (${DEFAULT_OPTIONS.resultLimitBytes / 2 ** 20} MiB)`);
  });
});

describe("the guide for states", () => {
  const text = read("docs/guides/states.md");
  /** The cells of a section's rows, without those of its head. */
  const rowsOf = (section: string): string[][] =>
    [...section.matchAll(/^\| (?!-)(.*) \|$/gm)].slice(1).map(([, row]) => row!.split("|").map((cell) => cell.trim()));
  const section = (title: string): string => text.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
  const coded = (name: string): string => `\`${name}\``;

  test("the guide for states tells of every state, at its head, in a paragraph and beside others", () => {
    expect(rowsOf(text.split("\n## ")[0]!).map(([state]) => state)).toEqual(TASK_STATES.map(coded));
    expect(found(/^\*\*(`\w+`)\*\*\./gm, section("How each is entered and left"))).toEqual(TASK_STATES.map(coded));
    const compared = rowsOf(section("Beside others")).map(([state]) => state!.split(",")[0]!);
    expect([...new Set(compared)].toSorted()).toEqual(TASK_STATES.map(coded).toSorted());
  });

  test("the guide for states tells of every reason", () => {
    const told = rowsOf(section("Reasons")).map(([reason]) => reason!);
    expect(told.toSorted()).toEqual(TERMINAL_REASONS.map(coded).toSorted());
  });

  test("the guide for states has every move of the table of transitions, and no other", () => {
    const told = rowsOf(section("Every move")).flatMap(([move, from, to]) =>
      from!.split(", ").map((state) => `${move}: ${state} ${to === "stays" ? state : to}`),
    );
    const moves = TRANSITIONS.map(({ name, from, to }) => `${name}: ${from === null ? "–" : coded(from)} ${coded(to)}`);
    expect(told.toSorted()).toEqual([...new Set(moves)].toSorted());
  });
});
