import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const script = join(repositoryRoot, "test/support/app/tracing-probe.mjs");
let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

/** What a process with these options prints: it runs one task, and ends. */
async function probed(options: { tracing?: object; isAbsent?: boolean }): Promise<{ output: string; result: unknown }> {
  const child = new NodeProcess({ script, env: { PROBE: JSON.stringify({ url: postgres.url, ...options }) } });
  await child.exited;
  const output = child.log();
  const [, result = "null"] = /^PROBED (.*)$/m.exec(output) ?? [];
  return { output, result: JSON.parse(result) as unknown };
}

test("OpenTelemetry's API is loaded where it is there", async () => {
  const { output, result } = await probed({});
  expect([result, output]).toEqual([{ isLoaded: true }, output]);
});

test("a process where OpenTelemetry's API cannot be resolved works, loads nothing and logs nothing of it", async () => {
  const { output, result } = await probed({ isAbsent: true });
  expect([result, output]).toEqual([{ isLoaded: false }, output]);
  expect(output).not.toMatch(/opentelemetry|tracing/i);
});

test("a process whose tracing is off loads nothing of OpenTelemetry's API, although it is there", async () => {
  const { output, result } = await probed({ tracing: { tracing: false } });
  expect([result, output]).toEqual([{ isLoaded: false }, output]);
});
