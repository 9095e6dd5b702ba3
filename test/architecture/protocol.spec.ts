import { describe, expect, test } from "@jest/globals";
import { basename } from "node:path";
import { filesUnder, read } from "./project-files.js";
import { citationsOf, rulesOf } from "./protocol-citations.js";

const PAGE = "docs/protocol.md";
/** Files about what was here before, which is looked up in the history of git. */
const HISTORY = /^docs\/adr\/|^CHANGELOG\.md$/;

const sources = ["libs", "apps", "test", "docs"]
  .flatMap(filesUnder)
  .concat(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
  .filter((path) => /\.(ts|tsx|mjs|md)$/.test(path) && !path.startsWith("test/architecture/protocol"));
const pages = new Set(sources.filter((path) => path.endsWith(".md")).map((path) => basename(path)));
const rules = rulesOf(read(PAGE));
const cited = sources.map((path) => ({ path, ...citationsOf(path, read(path), pages) }));

describe("the protocol", () => {
  test("the protocol has its rules, each once", () => {
    expect(rules.length).toBeGreaterThan(30);
    expect(new Set(rules).size).toBe(rules.length);
  });

  test("the protocol has every rule that is cited", () => {
    const unknown = cited.flatMap(({ path, rules: names }) =>
      names.filter((name) => !rules.includes(name)).map((name) => `${path}: [${name}]`),
    );
    expect(unknown).toEqual([]);
  });

  test("the protocol has no rule that neither code nor a test cites", () => {
    const used = new Set(cited.filter(({ path }) => !path.endsWith(".md")).flatMap((source) => source.rules));
    expect(rules.filter((name) => !used.has(name))).toEqual([]);
  });

  test("the protocol is not cited by sections or numbers, and nothing is cited that is not in the repository", () => {
    const lost = cited.filter(({ path }) => !HISTORY.test(path));
    expect(lost.flatMap(({ path, foreign }) => foreign.map((name) => `${path}: ${name}`))).toEqual([]);
  });
});

describe("a planted citation is found:", () => {
  const citing = (text: string, path = "libs/a/src/b.ts") => citationsOf(path, text, new Set(["protocol.md"]));

  test.each([
    ["// as [never-late] says", ["never-late"]],
    ["/** [all-bounded]: so many at most. */", ["all-bounded"]],
    ["/**\n * Ends here [stale-silence].\n */", ["stale-silence"]],
    ['test("nothing is lost [durable-create]", () => {});', ["durable-create"]],
    ["const pattern = /[a-z-]/; // [x], [a-z] and [a link](b.md) are none", []],
    ['document.querySelector("[data-state]");', []],
  ])("a planted citation of the protocol is found: %s", (text, names) => {
    expect(citing(text).rules).toEqual(names);
  });

  test.each([
    ["// I5: asked for again", ["I5"]],
    ["// see §7", ["§7"]],
    ["// docs/protocol.md and notes/plan.md", ["notes/plan.md"]],
    ["const I5 = 1; // its sections are numbered", []],
  ])("the planted citation %s names what is not here: %j", (text, names) => {
    expect(citing(text).foreign).toEqual(names);
  });
});
