import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { read, root } from "./project-files.js";

const guides = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);
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
  const decided = found(/return .*?"([A-Z]+)"/g, read("libs/engine/src/requests/waiting-for.ts"));
  expect(decided).toHaveLength(3);
  expect(found(/`waitingFor: "([A-Z]+)"`/g, troubleshooting).toSorted()).toEqual(decided.toSorted());
});

test("troubleshooting names events that there are", () => {
  const named = found(/`((?:cluster|engine|node|task)\.[a-z_.]+)`/g, troubleshooting);
  const telemetry = read("docs/telemetry.md");
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => name !== "engine.quarantine" && !telemetry.includes(`\`${name}\``))).toEqual([]);
});

test("troubleshooting names findings as the nodes do", () => {
  const findings = read("libs/core/src/findings/sentences.ts");
  const named = found(/"(?:… )?([A-Z]?[a-z]+ [a-zA-Z ]+)"/g, troubleshooting.replaceAll(/`[^`]*`/g, ""));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((title) => !findings.includes(title))).toEqual([]);
});
