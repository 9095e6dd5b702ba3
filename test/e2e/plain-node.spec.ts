import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import ts from "typescript";
import { eventually } from "../support/eventually.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";
import { documentBlocks } from "../support/readme-shell.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const support = join(repositoryRoot, "test/support/app");
const WITHOUT_NEST = join(support, "without-nest.mjs");
/** A line of the log as a node without a logger writes it. */
const LINE = /^\d{4}-\d\d-\d\dT[\d:.]+Z (ERROR|WARN|INFO) .+ \[[a-z._]+\]( \{.*\})?$/;

const folder = mkdtempSync(join(tmpdir(), "tickwheel-plain-"));
let postgres: OwnPostgres;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function plain(script: string, database: string): Promise<NodeProcess> {
  const env = { DATABASE_URL: await postgres.createDatabase(database) };
  return new NodeProcess({ script: WITHOUT_NEST, args: [script], env });
}

test("a script without Nest runs tasks once, tells every fault of its options, stops, and ends by itself", async () => {
  const script = await plain(join(support, "plain-node.mjs"), "plain");
  expect({ end: await script.exited, log: script.end?.code === 0 ? "" : script.log() }).toEqual({
    end: { code: 0, signal: null },
    log: "",
  });
  const told = script.messages as Record<string, unknown>[];
  expect(told[0]).toEqual({ faults: ["schema", "poolSize", "concurency", "dataSource"] });
  expect(told[1]).toEqual({ ready: true });
  expect(told.slice(2, -4)).toHaveLength(4);
  expect(told.slice(2, -4)).toEqual(
    expect.arrayContaining([
      { cancelled: "42", attempt: 1 },
      { cancelled: "44", attempt: 1 },
      { failed: "settle" },
      { settled: "monday", key: true },
    ]),
  );
  expect(told.slice(-4)).toEqual([
    { states: { "42": "succeeded", "43": "scheduled", "44": "succeeded" } },
    { cancel: "cancelled" },
    { nest: "@nestjs/common is not installed" },
    { ready: false },
  ]);
  // By the script itself, which tries whether it is refused.
  expect(script.log().match(/^asked for .*$/gm)).toEqual(["asked for @nestjs/common"]);
  const lines = script.log().trim().split("\n");
  expect(lines.filter((line) => !LINE.test(line) && !line.startsWith("asked for"))).toEqual([]);
  expect(script.log()).toMatch(/ INFO Stopped after \d+ ms \[node\.stop\.done\] \{"tookMs":\d+\}$/m);
});

test("the example of the guide to start runs as it stands, and a SIGTERM ends it", async () => {
  const [example] = documentBlocks("docs/guides/start.md", "A node without Nest", "ts");
  const { outputText } = ts.transpileModule(example!.replace('"10s"', '"100ms"'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  mkdirSync(join(folder, "node_modules/@tickwheel"), { recursive: true });
  symlinkSync(join(repositoryRoot, "libs/node"), join(folder, "node_modules/@tickwheel/node"));
  writeFileSync(join(folder, "main.mjs"), outputText);
  const script = await plain(join(folder, "main.mjs"), "readme");
  await eventually(() => expect(script.log()).toContain("order 42 was not paid in time"));
  expect(await script.stop()).toEqual({ code: 0, signal: null });
  expect(script.log().match(/order 42 was not paid in time/g)).toHaveLength(1);
  expect(script.log()).not.toContain("asked for");
});
