import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { guideFences, PastedGuide } from "../support/app/pasted-guide.js";
import { HUNG_MS } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { repositoryRoot } from "../support/node-process.js";

const GUIDE = "docs/guides/testing.md";
const guide = new PastedGuide(GUIDE);
const modules = join(repositoryRoot, "node_modules");
const RUNNERS = {
  jest: ["--experimental-vm-modules", join(modules, "jest/bin/jest.js"), "--rootDir=.", "--runTestsByPath"],
  node: ["--test"],
  vitest: [join(modules, "vitest/vitest.mjs"), "run", "--root=.", "--no-color"],
} as const;
type Runner = keyof typeof RUNNERS;
let postgres: PostgresService;

beforeAll(async () => {
  [postgres] = await Promise.all([startPostgres(), guide.compile().then((faults) => expect(faults).toBe(""))]);
});
afterAll(async () => {
  await postgres?.stop();
  guide.remove();
});

/** Runs compiled tests as their reader would. @returns what the runner prints, and whether all passed */
async function run(runner: Runner, files: readonly string[]): Promise<{ passed: boolean; output: string }> {
  const { NODE_OPTIONS: _options, JEST_WORKER_ID: _worker, VITEST: _vitest, ...env } = process.env;
  const settings = { cwd: guide.folder, env: { ...env, DATABASE_URL: postgres.url }, timeout: HUNG_MS };
  const argv = [...RUNNERS[runner], ...files.map((file) => `dist/${file}.test.js`)];
  return promisify(execFile)(process.execPath, argv, settings).then(
    ({ stdout, stderr }) => ({ passed: true, output: stdout + stderr }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ passed: false, output: stdout + stderr }),
  );
}

describe("the guide's tests", () => {
  test.each<[Runner, string[], RegExp]>([
    ["jest", ["unpaid-orders"], /1 passed/],
    ["node", ["payments", "application", "on-postgres"], /pass 6\n/],
    ["vitest", ["handler-alone"], /2 passed/],
  ])("pass with %s, which ends by itself", async (runner, files, count) => {
    const { passed, output } = await run(runner, files);
    expect(output).toMatch(count);
    expect([passed, output]).toEqual([true, output]);
  });

  test("are all run: no file is left out", () => {
    const files = guide.blocks.flatMap(({ file }) => /^src\/(.*)\.test\.ts$/.exec(file)?.[1] ?? []);
    expect(files.toSorted()).toEqual(["application", "handler-alone", "on-postgres", "payments", "unpaid-orders"]);
  });

  test("pass fifty times: how long that takes is printed", async () => {
    const once = readFileSync(join(guide.folder, "dist/unpaid-orders.test.js"), "utf8");
    guide.write("dist/fifty.test.js", once.replace(/^test\(/m, "for (let n = 0; n < 50; n++) test("));
    const { passed, output } = await run("jest", ["fifty"]);
    expect([passed, output]).toEqual([true, expect.stringContaining("50 passed")]);
    printFigures("README's test fifty times", { jest: /Time: +([\d.]+ s)/.exec(output)?.[1] });
  });

  test("fail when the handler does nothing", async () => {
    const orders = guide.blocks.find(({ file }) => file === "src/orders.ts")!;
    guide.write("src/orders.ts", orders.text.replace("this.orders.cancelUnpaid(payload.orderId)", "void payload"));
    expect(await guide.compile()).toBe("");
    const { passed, output } = await run("node", ["application"]);
    expect(passed).toBe(false);
    expect(output).toContain("actual: 'unpaid'");
  });
});

test("the README's test in ten lines is the guide's", () => {
  const text = guide.blocks.find(({ file }) => file === "src/unpaid-orders.test.ts")!.text;
  const [lines] = /^test\(.*?^}\);\n/ms.exec(text)!;
  expect(lines!.trimEnd().split("\n")).toHaveLength(10);
  expect(guideFences("README.md").filter((fence) => fence.text === lines)).toHaveLength(1);
});
