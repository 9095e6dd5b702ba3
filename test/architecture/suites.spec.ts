import { describe, expect, test } from "@jest/globals";
import { kindOf } from "../../jest.config.mjs";
import { specFiles } from "../runner/spec-files.mjs";
import { loadSpecs } from "../runner/suite-scope.mjs";
import { resultsByFile, suitesOf } from "../runner/suites.mjs";
import { root } from "./project-files.js";

// Here, as in a suite: the second would fail with the hooks of the first.
await loadSpecs(["counts-its-own.ts", "has-no-hooks.ts"], `${root}/test/architecture/planted-suite`);

describe("the suites of a run", () => {
  const files = specFiles(["unit", "property", "architecture", "integration"]);

  test("the suites of a run have each file once, of one package, and no file that starts a server", () => {
    const { suites, alone } = suitesOf(files, {});
    expect([...Object.values(suites).flat(), ...alone].toSorted()).toEqual(files.toSorted());
    for (const paths of Object.values(suites)) {
      expect(new Set(paths.map((path) => path.split("/").slice(0, 2).join("/"))).size).toBe(1);
      expect(paths.filter((path) => !["unit", "property"].includes(kindOf(path) ?? ""))).toEqual([]);
    }
  });

  test("the suites of a run are divided where they are long, and a file that would be a suite by itself is none", () => {
    const paths = ["libs/a/src/a.spec.ts", "libs/a/src/b.spec.ts", "libs/a/src/c.spec.ts"];
    const { suites, alone } = suitesOf(paths, { [paths[0]!]: 3, [paths[1]!]: 30, [paths[2]!]: 1 });
    expect(Object.values(suites)).toEqual([paths.slice(0, 2)]);
    expect(alone).toEqual([paths[2]]);
  });
});

describe("the results of a suite", () => {
  const tests = (path: string, ...statuses: string[]): object[] =>
    statuses.map((status) => ({
      ancestorTitles: [path, "a thing"],
      fullName: `${path} a thing does it`,
      duration: 7,
      status,
    }));

  test("the results of a suite are those of its files, and a file without a test has failed", () => {
    const suites = { "test/runner/suites/libs-a-1.mjs": ["a.spec.ts", "b.spec.ts", "c.spec.ts"] };
    const assertionResults = [...tests("a.spec.ts", "passed", "passed"), ...tests("b.spec.ts", "passed", "failed")];
    const suite = { name: `${root}/test/runner/suites/libs-a-1.mjs`, assertionResults, message: "", startTime: 100 };
    const other = { name: `${root}/test/e2e/x.spec.ts`, assertionResults: [] };
    expect(resultsByFile([suite, other], suites)).toMatchObject([
      { name: `${root}/a.spec.ts`, status: "passed", startTime: 100, endTime: 114 },
      { name: `${root}/b.spec.ts`, status: "failed", assertionResults: [{ fullName: "a thing does it" }, {}] },
      { name: `${root}/c.spec.ts`, status: "failed", message: "the file has no test" },
      other,
    ]);
  });
});
