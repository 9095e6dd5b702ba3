import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { debianTool, freePort } from "@tickwheel/local-services";
import { load } from "js-yaml";
import { ApiClient } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { ServerFolder } from "../support/servers/server-folder.js";
import { printFigures } from "../support/figures.js";
import { repositoryRoot } from "../support/node-process.js";

const CALLS = 400;
/** Calls come one by one for so long that they meet the kill, and the time in which the proxy learns of it. */
const EVERY_MS = 10;

const stage = new TestStage();
let nodes: TestNode[];
let proxied: ApiClient;

/** The settings of the compose file's proxy, with these nodes in the place of its containers. */
function settingsOf(port: number): string {
  const text = readFileSync(join(repositoryRoot, "docs/compose/proxy.yml"), "utf8");
  const { configs } = load(text) as { configs: { haproxy: { content: string } } };
  const [one, two] = nodes.map(({ url }) => new URL(url).host) as [string, string];
  const { content } = configs.haproxy;
  for (const address of [":3000", "node-1:3000", "node-2:3000"]) expect(content).toContain(` ${address}\n`);
  return content
    .replace("node-1:3000", one)
    .replace("node-2:3000", two)
    .replace("bind :3000", `bind 127.0.0.1:${port}`);
}

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  nodes = [];
  for (let place = 0; place < 2; place++) nodes.push(await stage.scheduler({ databaseUrl, port: await freePort() }));
  await eventually(() => expectOneView(nodes));
  const port = await freePort();
  const folder = await stage.add(ServerFolder.make("proxy"));
  folder.serverFolder("haproxy");
  folder.write("haproxy", "haproxy.cfg", settingsOf(port));
  const { bin, env } = await debianTool("haproxy");
  await folder.run("haproxy", { file: bin("haproxy"), args: ["-db", "-f", "haproxy.cfg"], env });
  proxied = new ApiClient(`http://127.0.0.1:${port}`, stage.apiKey);
  await eventually(async () => expect((await proxied.get("/health/ready")).status).toBe(200));
});
afterAll(() => stage.stop());

/** The status of a call; 0: its connection was closed without an answer, so nobody knows what became of it. */
async function create(): Promise<number> {
  try {
    return (await proxied.post("/v1/tasks", { type: "mail", delay: "1h", payload: {} })).status;
  } catch {
    return 0;
  }
}

test("the proxy of docs/compose goes on with the other node when one is killed", async () => {
  const statuses: Promise<number>[] = [];
  for (let call = 0; call < CALLS; call++) {
    statuses.push(create());
    if (call === CALLS / 4) void nodes[0]!.kill();
    await lasting(EVERY_MS);
  }
  const all = await Promise.all(statuses);
  const unanswered = all.filter((status) => status === 0 || status === 502).length;
  printFigures("a node behind a proxy is killed", { calls: CALLS, unanswered });
  expect(all.filter((status) => ![0, 201, 502].includes(status))).toEqual([]);
  expect(all.slice(CALLS / 2).every((status) => status === 201)).toBe(true);
});
