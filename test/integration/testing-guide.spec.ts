import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PastedGuide } from "../support/app/pasted-guide.js";
import { HUNG_MS } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { repositoryRoot } from "../support/node-process.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const GUIDE = "docs/guides/testing.md";
const guide = new PastedGuide(GUIDE);
const modules = join(repositoryRoot, "node_modules");
const RUNNERS = {
  jest: ["--experimental-vm-modules", join(modules, "jest/bin/jest.js"), "--rootDir=.", "--runTestsByPath"],
  node: ["--test"],
  vitest: [join(modules, "vitest/vitest.mjs"), "run", "--root=.", "--no-color"],
} as const;
type Runner = keyof typeof RUNNERS;
const FILES: Readonly<Record<Runner, readonly string[]>> = {
  jest: ["unpaid-orders"],
  node: ["payments", "quiet-week", "application", "over-http", "one-transaction", "on-postgres"],
  vitest: ["handler-alone"],
};
let postgres: OwnPostgres;
/** All runners at once: most of their time is their start. */
let runs: Record<Runner, Promise<RunnerEnd>>;

beforeAll(async () => {
  const started = OwnPostgres.start({ settings: { fsync: false } });
  [postgres] = await Promise.all([started, guide.compile().then((faults) => expect(faults).toBe(""))]);
  const [file] = FILES.jest.map((name) => `dist/${name}.test.js`);
  const once = readFileSync(join(guide.folder, file!), "utf8");
  guide.write(file!, once.replace(/^test\(/m, "for (let n = 0; n < 50; n++) test("));
  runs = { jest: run("jest", FILES.jest), node: run("node", FILES.node), vitest: run("vitest", FILES.vitest) };
});
afterAll(async () => {
  await postgres?.stop();
  guide.remove();
});

interface RunnerEnd {
  passed: boolean;
  output: string;
}

/** Runs compiled tests as their reader would. @returns what the runner prints, and whether all passed */
async function run(runner: Runner, files: readonly string[]): Promise<RunnerEnd> {
  const { NODE_OPTIONS: _options, JEST_WORKER_ID: _worker, VITEST: _vitest, ...env } = process.env;
  const settings = { cwd: guide.folder, env: { ...env, DATABASE_URL: postgres.superuserUrl }, timeout: HUNG_MS };
  const argv = [...RUNNERS[runner], ...files.map((file) => `dist/${file}.test.js`)];
  return promisify(execFile)(process.execPath, argv, settings).then(
    ({ stdout, stderr }) => ({ passed: true, output: stdout + stderr }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ passed: false, output: stdout + stderr }),
  );
}

describe("the guide's tests", () => {
  test.each<[Runner, RegExp]>([
    // Its one test is run fifty times over.
    ["jest", /50 passed/],
    ["node", /pass 9\n/],
    ["vitest", /2 passed/],
  ])("the guide's tests pass with %s, which ends by itself", async (runner, count) => {
    const { passed, output } = await runs[runner];
    expect(output).toMatch(count);
    expect([passed, output]).toEqual([true, output]);
    if (runner === "jest")
      printFigures("the guide's test fifty times", { jest: /Time: +([\d.]+ s)/.exec(output)?.[1] });
  });

  test("the guide's tests are all run: no file is left out", () => {
    const files = guide.blocks.flatMap(({ file }) => /^src\/(.*)\.test\.ts$/.exec(file)?.[1] ?? []);
    expect(files.toSorted()).toEqual(Object.values(FILES).flat().toSorted());
  });

  test("the guide's tests fail when the handler does nothing", async () => {
    await Promise.all(Object.values(runs));
    const compiled = readFileSync(join(guide.folder, "dist/orders.js"), "utf8");
    const idle = compiled.replace("this.orders.cancelUnpaid(payload.orderId)", "void payload");
    expect(idle).not.toBe(compiled);
    guide.write("dist/orders.js", idle);
    const { passed, output } = await run("node", ["application"]);
    expect(passed).toBe(false);
    expect(output).toContain("actual: 'unpaid'");
  });
});
