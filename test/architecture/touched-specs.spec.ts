import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { groups } from "../../jest.config.mjs";
import { specFiles } from "../runner/spec-files.mjs";
import { AREAS } from "../runner/touched-areas.mjs";
import { touchedSpecs } from "../runner/touched-files.mjs";
import { root } from "./project-files.js";

const specs = specFiles(groups.flatMap(({ kinds }) => kinds));
const contributing = join(root, "CONTRIBUTING.md");
const BEGIN = "<!-- areas: made of test/runner/touched-areas.mjs -->\n\n";
const END = "\n\n<!-- areas: end -->";

describe("what a change touches", () => {
  test("a change of schedules touches their specs, among them those with processes", () => {
    const touched = touchedSpecs(specs, ["libs/schedules/src/planning/plan-schedule.ts"]);
    expect(touched).toEqual(
      expect.arrayContaining(["test/faults/schedules.spec.ts", "test/integration/schedules.spec.ts"]),
    );
    expect(touched).not.toContain("test/browser/dashboard-access.spec.ts");
  });

  test("a change touches the specs that have changed, then those that import what has changed, the nearest first", () => {
    const sources: Record<string, string> = {
      "libs/a/src/x.ts": "",
      "libs/a/src/y.ts": 'import { x } from "./x.js";',
      "libs/a/src/index.ts": 'export * from "./x.js";',
      "libs/a/src/x.spec.ts": 'import { x } from "./x.js";',
      "libs/a/src/y.spec.ts": 'import { y } from "./y.js";',
      "libs/a/src/door.spec.ts": 'import { x } from "./index.js";',
      "libs/a/src/z.spec.ts": "",
    };
    const all = Object.keys(sources).filter((path) => path.endsWith(".spec.ts"));
    const touched = touchedSpecs(all, ["libs/a/src/x.ts", "libs/a/src/z.spec.ts"], (path) => sources[path] ?? null);
    expect(touched).toEqual(["libs/a/src/z.spec.ts", "libs/a/src/x.spec.ts", "libs/a/src/y.spec.ts"]);
  });

  test.each(AREAS.map((area) => [area.what, area] as const))(
    "the area of a change, %s: there are such files, and such specs",
    (_what, area) => {
      expect(
        specs.filter((path) => path.startsWith("test/") && area.specs.test(path.slice("test/".length))),
      ).not.toEqual([]);
    },
  );

  test("what a change touches is told by CONTRIBUTING.md, which is written anew where it says something else", () => {
    const text = readFileSync(contributing, "utf8");
    const begin = text.indexOf(BEGIN) + BEGIN.length;
    const end = text.indexOf(END);
    const told = text.slice(begin, end);
    if (rowsOf(told).join() !== rowsOf(table()).join()) {
      writeFileSync(contributing, text.slice(0, begin) + table() + text.slice(end));
      throw new Error("CONTRIBUTING.md was stale, and is written anew: run `npm run format`, and look at it.");
    }
  });
});

function table(): string {
  const rows = AREAS.map(({ what, whole }) => `| ${what} | ${whole.map((command) => `\`${command}\``).join(", ")} |`);
  return ["| you touched | run before a release |", "| --- | --- |", ...rows].join("\n");
}

/** Without what the formatter does to a table. */
function rowsOf(text: string): string[] {
  return text.split("\n").map((row) => row.replaceAll(/\s+/g, " ").replaceAll(/-+/g, "-").trim());
}
