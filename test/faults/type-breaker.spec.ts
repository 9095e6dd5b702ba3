import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";

const TYPE = "calling";
const TASKS = 60;

interface TypeBody {
  breaker: { state: "OPEN" | "HALF_OPEN"; node: string | null; failedTrials: number } | null;
}

/** What all tasks call: it fails, says nothing, or works. Its callers tell the numbers of their processes. */
class Provider {
  does: "fail" | "hang" | "work" = "fail";
  /** The callers of calls without an answer. */
  readonly hanging: string[] = [];
  calls = 0;
  private readonly server: Server = createServer((request, response) => this.take(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    this.calls++;
    if (this.does === "hang") this.hanging.push(String(request.headers["x-node"]));
    else response.writeHead(this.does === "work" ? 200 : 500).end();
  }
}

const stage = new TestStage();
const provider = new Provider();
let services: TestServices;
let nodes: TestNode[];
let url: string;

beforeAll(async () => {
  url = await provider.start();
  services = await stage.services({ redis: true });
  const { databaseUrl, redisUrl } = services;
  nodes = await stage.many(3, () => stage.app({ databaseUrl, redisUrl, types: [TYPE], module: { concurrency: 20 } }));
  await eventually(() => expectOneView(nodes));
});
afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

const breakersOf = (): Promise<TypeBody["breaker"][]> =>
  Promise.all(nodes.map(async ({ client }) => (await client.get<TypeBody>(`/v1/types/${TYPE}`)).body.breaker));

test("a type whose provider fails rests on all nodes; one node tries, another when that dies, and all go on when it works", async () => {
  const task = {
    type: TYPE,
    payload: { url },
    maxAttempts: 1_000,
    backoff: { kind: "fixed", delay: 100 },
    timeout: "1h",
  };
  for (let made = 0; made < TASKS; made++) await nodes[made % 3]!.client.post("/v1/tasks", { ...task, delay: 0 });
  await eventually(async () => expect((await breakersOf()).map((breaker) => breaker?.state)).not.toContain(undefined));
  const atOpening = provider.calls;
  provider.does = "hang";
  const killed: string[] = [];
  for (let kill = 0; kill < 2; kill++) {
    await eventually(() => expect(provider.hanging).toHaveLength(kill + 1));
    await eventually(async () =>
      expect((await breakersOf()).map((breaker) => breaker?.state)).toEqual(nodes.map(() => "HALF_OPEN")),
    );
    const trier = nodes.find(({ pid }) => String(pid) === provider.hanging[kill])!;
    expect([...new Set((await breakersOf()).map((breaker) => breaker?.node))]).toEqual([
      expect.stringMatching(`:${trier.pid}$`),
    ]);
    nodes = nodes.filter((node) => node !== trier);
    killed.push(String(trier.pid));
    if (kill === 0) await trier.kill();
    else nodes.push(trier);
  }
  expect(new Set(killed).size).toBe(2);
  expect(provider.hanging).toEqual(killed);
  provider.does = "work";
  await nodes[0]!.client.post(`/v1/types/${TYPE}/breaker/close`, {});
  await eventually(async () => {
    const { counts } = (await nodes[0]!.client.get<{ counts: Record<string, number> }>("/v1/stats")).body;
    expect([counts.scheduled, counts.running, counts.succeeded]).toEqual([0, 1, TASKS - 1]);
  });
  expect(await breakersOf()).toEqual(nodes.map(() => null));
  printFigures("a type's breaker", { callsUntilOpen: atOpening, calls: provider.calls });
});
