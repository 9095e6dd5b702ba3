import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { TickwheelClient } from "@tickwheel/client";
import { ApiApplication } from "../support/api-application.js";
import { guideFences, PastedGuide } from "../support/app/pasted-guide.js";
import { eventually } from "../support/eventually.js";
import { repositoryRoot } from "../support/node-process.js";
import { pasted } from "../support/readme-shell.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const GUIDE = "docs/guides/workers.md";
const TYPE = "image.resize";
const worker = (end: string): string => join(repositoryRoot, `docs/guides/workers/worker.${end}`);
const hasGo = spawnSync("go", ["version"]).status === 0;

const guide = new PastedGuide(GUIDE);
const commands: Readonly<Record<string, readonly string[]>> = {
  TypeScript: [process.execPath, join(guide.folder, "dist/worker.js")],
  Python: ["python3", worker("py"), TYPE],
  shell: ["sh", worker("sh"), TYPE],
  ...(hasGo && { "Go, which is on this machine": [join(guide.folder, "worker-go"), TYPE] }),
};

let postgres: TestPostgres;
let server: ApiApplication;
let client: TickwheelClient;
let env: Record<string, string>;
let running: ChildProcess | undefined;
beforeAll(async () => {
  postgres = await startTestPostgres();
  server = await ApiApplication.start("fastify", postgres.url);
  client = new TickwheelClient({ url: server.url, key: server.key });
  const { key } = await client.apiKeys.createApiKey({ name: "workers", role: "worker", types: ["image.*"] });
  const { PATH = "", HOME = "" } = process.env;
  env = { PATH, HOME, TICKWHEEL_URL: server.url, TICKWHEEL_KEY: key, TICKWHEEL_OPERATOR_KEY: server.key };
  expect(await guide.compile()).toBe("");
  if (hasGo) expect(spawnSync("go", ["build", "-o", join(guide.folder, "worker-go"), worker("go")]).status).toBe(0);
});
afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
  guide.remove();
});
afterEach(() => {
  running?.kill("SIGKILL");
});

const create = (payload: object) =>
  client.tasks.create({ type: TYPE, deliver: { kind: "pull" }, payload, maxAttempts: 1 });

test.each(Object.entries(commands))(
  "the worker in %s works, tells what failed, and stops when asked",
  async (_language, command) => {
    const good = await create({ width: 640 });
    const bad = await create({ width: "wide" });
    const child = spawn(command[0]!, command.slice(1), { env, stdio: ["ignore", "inherit", "inherit"] });
    running = child;
    const ended = once(child, "exit");
    await eventually(async () => {
      expect(await client.tasks.get(good.id)).toMatchObject({ state: "succeeded", result: { width: 320 } });
      expect(await client.tasks.get(bad.id)).toMatchObject({ state: "dead", lastError: expect.any(String) });
    });
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    const { id } = await create({ width: 640 });
    expect((await client.tasks.get(id)).state).toBe("scheduled");
    await client.tasks.cancel(id);
  },
);

test("the worker in shell ends its work and gives the task back when the task is cancelled", async () => {
  const text = readFileSync(worker("sh"), "utf8");
  const slow = text.replace("sleep 10", "sleep 1").replace(/^work\(\).*\n.*$/m, "work() {\n  exec sleep 60");
  expect(slow.match(/sleep \d+/g)).toEqual(["sleep 60", "sleep 1", "sleep 5"]);
  const script = join(guide.folder, "slow.sh");
  writeFileSync(script, slow);
  const { id } = await create({ width: 640 });
  const child = spawn("sh", [script, TYPE], { env, stdio: ["ignore", "inherit", "inherit"] });
  running = child;
  const ended = once(child, "exit");
  await eventually(async () => expect((await client.tasks.get(id)).state).toBe("running"));
  await client.tasks.cancel(id);
  await eventually(async () => expect((await client.tasks.get(id)).state).toBe("cancelled"));
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("the guide's calls of the shell make a task and a worker's key, and the block that creates gets its result", async () => {
  const blocks = guideFences(GUIDE).filter(({ language }) => language === "sh");
  expect(blocks).toHaveLength(2);
  const asked = blocks.map(({ text }) => text);
  const before = 'curl() { command curl --silent --show-error "$@"; }';
  const shellEnv = { ...env, TICKWHEEL_ADMIN_KEY: server.key };
  await pasted(asked, { cwd: guide.folder, before, env: shellEnv });
  expect((await client.tasks.find({ type: [TYPE], state: ["scheduled"] })).items).toHaveLength(1);
  const keys = await client.apiKeys.apiKeys();
  expect(keys.items.map(({ name }) => name)).toContain("resizers");
  const stop = new AbortController();
  const consumed = client.consume<{ width: number }>(TYPE, ({ payload }) => payload.width, { signal: stop.signal });
  const child = spawn(process.execPath, [join(guide.folder, "dist/create.js")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  running = child;
  let printed = "";
  child.stdout!.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(printed).toBe("640\n");
  stop.abort();
  await consumed;
});
