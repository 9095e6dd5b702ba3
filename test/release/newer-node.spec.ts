import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { HUNG_MS } from "../support/eventually.js";
import { repositoryRoot } from "../support/node-process.js";
import { PackedApplication } from "../support/packed-application.js";

const run = promisify(execFile);
/** They take ten minutes on a quiet machine. */
const RUN_LIMIT_MS = 60 * HUNG_MS;
/** The demo takes as long as all others together, and judges the cluster more than the Node under it. */
const LEFT_OUT = "/demo\\.spec\\.ts$";

interface Report {
  numPassedTests: number;
  numTotalTests: number;
  testResults: { status: string; message: string }[];
}

const application = new PackedApplication();
let newerNode: string;

beforeAll(async () => {
  newerNode = await application.newerNode();
});
afterAll(() => application.remove());

test("the e2e tests, but for the demo's, pass on the Node that README recommends", async () => {
  expect((await run(newerNode, ["--version"])).stdout).toMatch(/^v24\./);
  const report = join(application.folder, "e2e.json");
  const jest = [join(repositoryRoot, "node_modules/jest/bin/jest.js"), "-c", join(repositoryRoot, "jest.config.mjs")];
  const chosen = ["test/e2e/", "--testPathIgnorePatterns", LEFT_OUT, "--runInBand"];
  const told = ["--testTimeout", String(5 * HUNG_MS), "--json", "--outputFile", report];
  const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
  // What is proven in full on one version of Node is sampled on the other.
  const env = { ...process.env, TICKWHEEL_TEST_DEPTH: "sample" };
  const settings = { cwd: repositoryRoot, timeout: RUN_LIMIT_MS, maxBuffer: 16_000_000, env };
  // Jest's own word for a failed test; the report says which.
  await run(newerNode, [...flags, ...jest, ...chosen, ...told], settings).catch(() => undefined);
  const { numPassedTests, numTotalTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  expect(testResults.filter(({ status }) => status !== "passed").map(({ message }) => message)).toEqual([]);
  expect(numTotalTests).toBeGreaterThan(20);
  expect(numPassedTests).toBe(numTotalTests);
});
