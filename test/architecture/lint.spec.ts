import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PlantedRepository } from "./planted-repository.js";
import { outputOf, root } from "./project-files.js";

const longFunction = `export function long(x: number): number {\n${"  x++;\n".repeat(58)}  return x;\n}\n`;
const longFile = Array.from({ length: 401 }, (_, index) => `export const x${index} = ${index};\n`).join("");
const spreads = "export const x = { ...{ a: 1 } };";
const longComments = `${"// One more line.\n\n".repeat(401)}export function told(): number {\n${"  // One more line.\n\n".repeat(60)}  return 1;\n}\n`;
const floatingPromise = "async function work(): Promise<void> {}\nexport function start(): void {\n  work();\n}\n";
const readsClock = "export const x = Date.now();\nconsole.log(performance.now());\n";
const testImport = 'import { test } from "@jest/globals";\n';
const injected = "export class Wired { constructor(readonly a: 1, readonly b: 1, readonly c: 1, readonly d: 1) {} }";

/** What is reported: the text of a file of a library, and the rule. */
const reported: Record<string, { file: string; text: string; rule: string }> = {
  "a function of 60 lines of code": { file: "long-function.ts", text: longFunction, rule: "max-lines-per-function" },
  "a file of 401 lines of code": { file: "long-file.ts", text: longFile, rule: "max-lines" },
  "a spread for no use": { file: "spread.ts", text: spreads, rule: "no-useless-spread" },
  "a floating promise": { file: "floating.ts", text: floatingPromise, rule: "no-floating-promises" },
  "a fourth parameter": { file: "wide.ts", text: injected, rule: "max-params" },
  any: { file: "any.ts", text: "export const x: any = 1;", rule: "no-explicit-any" },
  "Date.now": { file: "now.ts", text: "export const x = Date.now();", rule: "no-restricted-properties" },
  "Math.random": { file: "random.ts", text: "export const x = Math.random();", rule: "no-restricted-properties" },
  "process.env": { file: "env.ts", text: "export const x = process.env.HOME;", rule: "no-restricted-properties" },
  setTimeout: { file: "timeout.ts", text: "setTimeout(() => undefined, 1);", rule: "no-restricted-globals" },
  setInterval: { file: "interval.ts", text: "setInterval(() => undefined, 1);", rule: "no-restricted-globals" },
  performance: { file: "performance.ts", text: "export const x = performance.now();", rule: "no-restricted-globals" },
  console: { file: "console.ts", text: "console.log(1);", rule: "no-restricted-globals" },
  "a skipped test": {
    file: "skipped.spec.ts",
    text: `${testImport}test.skip("x", () => {});`,
    rule: "no-disabled-tests",
  },
  "a focused test": { file: "only.spec.ts", text: `${testImport}test.only("x", () => {});`, rule: "no-focused-tests" },
};

const tolerated = {
  "libs/core/src/system/system-clock.ts": readsClock,
  "libs/local-services/src/planted.ts": readsClock,
  "apps/demo/src/planted.ts": readsClock,
  "libs/engine/src/planted.service.ts": injected,
  "libs/engine/src/long-comments.ts": longComments,
};

describe("the linter", () => {
  const planted = new PlantedRepository();
  let report: string;

  beforeAll(() => {
    const tsconfig = { extends: "../../tsconfig.base.json", compilerOptions: { types: [] }, include: ["src"] };
    planted.write("libs/engine/tsconfig.json", JSON.stringify(tsconfig));
    for (const { file, text } of Object.values(reported)) planted.write(`libs/engine/src/${file}`, text);
    for (const [path, text] of Object.entries(tolerated)) planted.write(path, text);
    report = outputOf([join(root, "node_modules/.bin/oxlint"), "--type-aware", "--format", "unix"], planted.folder);
  });

  afterAll(() => planted.remove());

  test.each(Object.keys(reported))("the linter reports %s in a library", (what) => {
    const { file, rule } = reported[what] as { file: string; rule: string };
    const lines = report.split("\n").filter((line) => line.startsWith(`libs/engine/src/${file}:`));
    expect(lines.join("\n")).toContain(`(${rule})`);
  });

  test.each(Object.keys(tolerated))("the linter has nothing against %s", (path) => {
    expect(report).toContain("problems");
    expect(report).not.toContain(`${path}:`);
  });
});
