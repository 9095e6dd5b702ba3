import { join } from "node:path";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import type { TaskBody } from "../support/api-client.js";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { brokenPipe, fullDisk, LogReader } from "../support/outputs/lost-outputs.js";
import { NodeProcess, type ProcessEnd, repositoryRoot } from "../support/node-process.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

const program = join(repositoryRoot, "test/support/outputs/lossy-program.mjs");
const shop = join(repositoryRoot, "apps/shop/dist/main.js");
/** A node that threw its lost lines at itself took so much in seconds. */
const GROWTH_LIMIT_MIB = 200;
/** What is done about uncaught errors makes no more than these of them. */
const FAULTS_LIMIT = 25;

const losses = {
  "stdout is a broken pipe": () => ({ stdout: brokenPipe() }),
  "stderr is a broken pipe": () => ({ stderr: brokenPipe() }),
  "both are broken pipes": () => ({ stdout: brokenPipe(), stderr: brokenPipe() }),
  "the disk of stdout is full": () => ({ stdout: fullDisk() }),
  "the disk of stderr is full": () => ({ stderr: fullDisk() }),
  "the disks of both are full": () => ({ stdout: fullDisk(), stderr: fullDisk() }),
} satisfies Record<string, () => { stdout?: number; stderr?: number }>;
type Loss = keyof typeof losses;
const all = Object.keys(losses) as Loss[];

const programs: NodeProcess[] = [];
afterAll(async () => {
  await Promise.all(programs.map((one) => one.kill()));
});

function start(args: readonly string[], loss?: Loss): NodeProcess {
  const started = new NodeProcess({ script: program, args, ...(loss && losses[loss]()) });
  programs.push(started);
  return started;
}

/** Waits until it has written all that it writes, or has ended. */
async function logged(one: NodeProcess): Promise<NodeProcess> {
  await eventually(() => expect(one.end ?? one.messages).toEqual(one.end ?? ["logged"]));
  return one;
}

const code = (of: number): ProcessEnd => ({ code: of, signal: null });

describe("a program that serves", () => {
  test.each(all)("a program that serves goes on when %s, and ends at the first SIGTERM", async (loss) => {
    const node = await logged(start(["node"], loss));
    expect(node.end).toBeUndefined();
    expect(await node.stop()).toEqual(code(143));
    expect(node.messages).toContainEqual({ stopped: true, faults: 0 });
  });

  test.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("a program that serves stops what it started on %s, and ends with %d", async (signal, expected) => {
    const node = await logged(start(["node"], "both are broken pipes"));
    process.kill(node.pid, signal);
    expect(await node.exited).toEqual(code(expected));
    expect(node.messages).toContainEqual({ stopped: true, faults: 0 });
  });

  test("a program that serves ends with 1 by an error that cannot be told", async () => {
    const node = start(["node", "once"], "both are broken pipes");
    expect(await node.exited).toEqual(code(1));
    expect(node.messages).toContainEqual({ stopped: true, faults: 1 });
  });

  test("a program that serves tells an error that comes while it stops, and stops nevertheless", async () => {
    const node = start(["node", "in-stop"]);
    expect(await node.exited).toEqual(code(1));
    // The end of a process may be known before the last that it wrote.
    await eventually(() => expect(node.log()).toMatch(/Error: a fault[^]*Error: a second fault/));
    expect(node.messages).toContainEqual({ stopped: true, faults: 2 });
  });
});

describe("a command", () => {
  test("a command ends without a word when the reader of its stdout has gone", async () => {
    const command = start(["command"], "stdout is a broken pipe");
    expect(await command.exited).toEqual(code(141));
    expect(command.log()).not.toMatch(/EPIPE|Error/);
  });

  test("a command says what it could not write to a full disk, and ends with 1", async () => {
    const command = start(["command"], "the disk of stdout is full");
    expect(await command.exited).toEqual(code(1));
    await eventually(() => expect(command.log().match(/^stdout: ENOSPC.*$/gm)).toHaveLength(1));
  });

  test("a command ends although it can say nothing", async () => {
    expect(await start(["command"], "the disks of both are full").exited).toEqual(code(1));
  });

  test.each(["stderr is a broken pipe", "the disk of stderr is full"] as const)(
    "a command goes on when %s",
    async (loss) => {
      const command = await logged(start(["command"], loss));
      expect(command.end).toBeUndefined();
      expect(await command.stop()).toEqual(code(143));
    },
  );
});

test.each(all)("a stack on its own stops once, and makes few errors of those of its outputs, when %s", async (loss) => {
  const alone = start(["stack", "in-stop"], loss);
  expect(await alone.exited).toEqual(code(1));
  const stops = alone.messages.filter((message) => message !== "logged") as { faults: number }[];
  expect(stops).toHaveLength(1);
  expect(stops[0]!.faults).toBeLessThan(FAULTS_LIMIT);
});

describe("a node", () => {
  const stage = new TestStage();
  let databaseUrl: string;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    ({ databaseUrl } = await stage.services());
    await makeSchemas(databaseUrl, "shop");
    receiver = await stage.add(await WebhookReceiver.start());
    receiver.answer = () => 500;
  });
  afterAll(() => stage.stop());

  const scheduler = (outputs: { stdout: number; stderr: number }): Promise<TestNode> =>
    stage.scheduler({ databaseUrl, outputs, env: { TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: receiver.host } });

  async function create({ client }: TestNode, body: object): Promise<string> {
    const { status, body: task } = await client.post<TaskBody>("/v1/tasks", { maxAttempts: 1, ...body });
    expect(status).toBe(201);
    return task.id;
  }

  /** Writes to stdout by tasks that run, and to stderr by tasks that die. */
  async function makeItLog(node: TestNode): Promise<void> {
    const logs = await Promise.all(range(60).map((n) => create(node, { type: "tickwheel.log", payload: n })));
    const deliver = { kind: "webhook", url: receiver.urlOf("/hook") };
    const hooks = await Promise.all(range(3).map((n) => create(node, { type: `hook.${n}`, payload: n, deliver })));
    await eventually(async () => expect(await statesOf(node, logs)).toEqual(new Set(["succeeded"])));
    await eventually(async () => expect(await statesOf(node, hooks)).toEqual(new Set(["dead"])));
  }

  async function statesOf({ client }: TestNode, ids: readonly string[]): Promise<Set<string>> {
    const answers = await Promise.all(ids.map((id) => client.get<TaskBody>(`/v1/tasks/${id}`)));
    return new Set(answers.map(({ body }) => body.state));
  }

  test("a node works on when the reader of its log is killed, takes no more memory, and ends at the first SIGTERM", async () => {
    const reader = LogReader.start();
    const node = await scheduler({ stdout: reader.writeEnd, stderr: reader.writeEnd });
    const beforeMib = residentMib(node.pid);
    await reader.kill();
    await makeItLog(node);
    expect(residentMib(node.pid) - beforeMib).toBeLessThan(GROWTH_LIMIT_MIB);
    expect(await node.stop()).toEqual(code(143));
  });

  test("a node starts and works on a full disk, and ends at the first SIGTERM", async () => {
    const node = await scheduler({ stdout: fullDisk(), stderr: fullDisk() });
    await makeItLog(node);
    expect(await node.stop()).toEqual(code(143));
  });

  test("a node of the shop works without its log, and ends at the first SIGTERM", async () => {
    const port = await freePort();
    const settings = { DATABASE_URL: databaseUrl, PAYMENT_PROVIDER_URL: receiver.urlOf("/pay") };
    const env = { ...settings, TICKWHEEL_API_KEY: newTestKey(), PORT: String(port), HOST: "127.0.0.1" };
    const node = new NodeProcess({ script: shop, env, stdout: brokenPipe(), stderr: brokenPipe() });
    programs.push(node);
    const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status;
    await eventually(async () => expect(node.end ?? (await ready())).toEqual(node.end ?? 200));
    expect(node.end).toBeUndefined();
    expect(await node.stop()).toEqual({ code: null, signal: "SIGTERM" });
  });
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}
