import { describe, expect, test } from "@jest/globals";
import { groups } from "../../jest.config.mjs";
import { breaksPromise, type FileResult, flakyLine, secondTries } from "../runner/second-try.mjs";
import { specFiles } from "../runner/spec-files.mjs";
import { overgrown, recordedTimes } from "../runner/times.mjs";
import { BrokenPromise } from "../support/broken-promise.js";

describe("the times of spec files", () => {
  test("the times of spec files fit the budget of a landing: each file, and each kind", () => {
    const files = specFiles(groups.flatMap(({ kinds }) => kinds));
    expect(overgrown(files, recordedTimes())).toEqual([]);
  });

  test("a spec file that has grown too long, one without a time, and a kind that no longer fits are told by name", () => {
    const file = "test/integration/slow.spec.ts";
    expect(overgrown([file], { [file]: 60 })).toEqual([expect.stringContaining(`${file} takes 60 s`)]);
    expect(overgrown([file], {})).toEqual([expect.stringContaining(`npm run test:times -- ${file}`)]);
    const many = Array.from({ length: 40 }, (_, at) => `test/browser/page-${at}.spec.ts`);
    const times = Object.fromEntries(many.map((path) => [path, 30]));
    expect(overgrown(many, times)).toEqual([expect.stringMatching(/^the files of browser take 1200 s together/)]);
  });
});

describe("a second try", () => {
  const result = (name: string, message: string | null): FileResult => ({
    name,
    assertionResults: [
      { status: "passed", fullName: "passes" },
      ...(message === null ? [] : [{ status: "failed", fullName: "fails", failureMessages: [message] }]),
    ],
  });
  const namesOf = (results: readonly FileResult[]): string[] =>
    secondTries(results, (name) => name).map(({ name }) => name);

  test("a second try is given to a spec file that failed", () => {
    const results = [result("test/e2e/a.spec.ts", "Error: connection refused"), result("test/e2e/b.spec.ts", null)];
    expect(namesOf(results)).toEqual(["test/e2e/a.spec.ts"]);
    expect(flakyLine(results[0]!, "test/e2e/a.spec.ts")).toBe(
      "flaky: test/e2e/a.spec.ts fails Error: connection refused",
    );
  });

  test("a second try is never given to a broken promise, nor to a property or a conformance case that did not hang", () => {
    const broken = String(new BrokenPromise(["lost: task 7"]));
    expect(breaksPromise(result("x", broken))).toBe(true);
    const results = [
      result("test/faults/a.spec.ts", broken),
      result("test/conformance/a.spec.ts", "AssertionError: 1 is not 2"),
      result("test/conformance/b.spec.ts", "thrown: Exceeded timeout of 120000 ms for a test."),
      result("libs/core/src/a.property.spec.ts", "Error: Property failed after 3 tests"),
    ];
    expect(namesOf(results)).toEqual(["test/conformance/b.spec.ts"]);
  });

  test("a second try is given to no spec file where many failed", () => {
    const results = Array.from({ length: 6 }, (_, at) => result(`test/e2e/${at}.spec.ts`, "Error: no"));
    expect(namesOf(results)).toEqual([]);
  });
});
