import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { Client } from "pg";
import type { TaskBody } from "../support/api-client.js";
import { schedulerScript, type TestServices, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { PackedApplication } from "../support/packed-application.js";
import { documentBlocks, pasted } from "../support/readme-shell.js";

const GUIDE = "docs/guides/install.md";
const packed = new PackedApplication();
const stage = new TestStage();
let services: TestServices;
let folder: string;
const [ownerSql, nodeSql] = documentBlocks(GUIDE, "Rights in Postgres", "sql");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tickwheel-install-"));
  services = await stage.services();
  await asAdministrator(ownerSql!);
  await packed.pack();
});
afterAll(async () => {
  await stage.stop();
  packed.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function asAdministrator(sql: string): Promise<void> {
  const client = new Client({ connectionString: services.databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Pastes a section's blocks into a shell; the guide's port and its database are those of this test. */
async function walked(heading: string, before: string): Promise<string> {
  const port = String(await freePort());
  const { host, pathname } = new URL(services.databaseUrl);
  const blocks = documentBlocks(GUIDE, heading, "sh").map((block) =>
    block.replaceAll("localhost:3000", `localhost:${port}`).replaceAll("localhost:5432/shop", `${host}${pathname}`),
  );
  return pasted(blocks, { cwd: folder, before, env: { PORT: port, TICKWHEEL_LOG_FORMAT: "text" } });
}

/** The folder has no network: what is ours is installed from the packed files. */
function npmOfPacked(): string {
  const files = packed.packedFiles.map((file) => `"${file}"`).join(" ");
  const install = `shift; for name; do [[ $name == @tickwheel/* ]] || set -- "$@" "$name"; shift; done`;
  return `npm() { if [[ $1 != i ]]; then command npm "$@"; return; fi; ${install}; command npm i --prefer-offline --no-audit --no-fund ${files} "$@"; }`;
}

test("the example of the guide to start, pasted into an empty folder, fires within a minute of its start", async () => {
  const cwd = join(folder, "readme");
  mkdirSync(cwd);
  const url = await services.postgres.createDatabase("readme");
  const [block] = documentBlocks("docs/guides/start.md", "See one fire", "sh");
  const start = "node dist/main.js\n";
  expect(block).toContain(start);
  const seen = `for second in {1..60}; do grep -q "was not paid" seen.log && break; sleep 1; done; cat seen.log\n`;
  const steps = block!
    .replace(/(?<=DATABASE_URL=')[^']+/, url)
    .replace(start, `node dist/main.js > seen.log 2>&1 & ${seen}`);
  const output = await pasted([steps], {
    cwd,
    before: npmOfPacked(),
    env: { PORT: String(await freePort()), TICKWHEEL_LOG_FORMAT: "text" },
  });
  expect(output).toMatch(/order order-\d+ was not paid: cancelled/);
});

test("a stand-alone node fires its first task, with the rights that the guide gives", async () => {
  const start = `start) exec "${process.execPath}" "${schedulerScript}" ;;`;
  const stubs = `git() { mkdir tickwheel; }; npm() { case "$1" in ci) ;; ${start} *) exit 9 ;; esac; }`;
  const output = await walked("A stand-alone node", stubs);
  expect(output).toMatch(/\[tickwheel\.log\] task [\w-]+ key "first" payload \{"hello":"world"\}/);
  expect(output).toMatch(/"state":"succeeded"/);
  expect(output).toMatch(/"outcome":"created"/);
  expect(output).toMatch(/"outcome":"cancelled"/);
  expect(output).not.toMatch(/degraded|42501|"errors"/);
});

test("an application in an empty folder fires its first task, with the packed packages", async () => {
  await asAdministrator("TRUNCATE tickwheel.api_key CASCADE");
  const output = await walked("A Nest application", npmOfPacked());
  expect(output).toMatch(/a mail to ada@example\.com/);
  expect(output).toMatch(/"state":"succeeded"/);
  expect(output).not.toMatch(/degraded|42501/);
});

test("a role that may only read and write rows runs a node on the finished schema", async () => {
  await asAdministrator(nodeSql!);
  await asAdministrator("TRUNCATE tickwheel.api_key CASCADE");
  const url = new URL(services.databaseUrl);
  [url.username, url.password] = ["tickwheel_node", "choose-a-password"];
  const node = await stage.scheduler({ databaseUrl: url.href });
  const task = await node.client.schedule({ type: "tickwheel.log", payload: {}, delay: 100 });
  await eventually(async () => {
    const { body } = await node.client.get<TaskBody>(`/v1/tasks/${task.id}`);
    expect(body.state).toBe("succeeded");
  });
});
