import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { slotOfId } from "@tickwheel/core";
import { promised, requirePromises } from "../support/broken-promise.js";
import type { Answer, ApiClient, PausedBody, JournalBody, TaskBody } from "../support/api-client.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, NodeKeys, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { latenessOf, Ledger, type Start } from "../support/ledger.js";

/** `node test/runner/run-tests.mjs --whole faults -- paused` kills so many. */
const KILLS = depth({ sample: 1, whole: 8 });
/** How many tasks each node has. */
const TASKS = 40;
const DELAY_MS = 3_000;
const TYPE = "deadline";

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[];
let ledger: Ledger;
let keys: NodeKeys;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(services.databaseUrl));
  keys = await stage.add(new NodeKeys(services.redisUrl!));
  await ledger.create();
  nodes = await stage.many(3, startNode);
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: [TYPE] });
}

function ask(client: ApiClient, path: string): Promise<Answer<PausedBody>> {
  return client.patientPost<PausedBody>(path, undefined, { isRepeatable: true });
}

/** Those that start before they are paused, on a slow machine, are left out. */
async function pause(tasks: readonly TaskBody[], { client }: TestNode): Promise<PausedBody[]> {
  const answers = await Promise.all(tasks.map(({ id }) => ask(client, `/v1/tasks/${id}/pause`)));
  for (const { status } of answers) expect([200, 409]).toContain(status);
  return answers.filter(({ status }) => status === 200).map(({ body }) => body);
}

async function resume(tasks: readonly PausedBody[], { client }: TestNode): Promise<PausedBody[]> {
  const answers = await Promise.all(tasks.map(({ id }) => ask(client, `/v1/tasks/${id}/resume`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  return answers.map(({ body }) => body);
}

/** The instants have passed at which they had run if they were not paused. */
async function expectOverdue(tasks: readonly PausedBody[]): Promise<void> {
  const last = Math.max(...tasks.map(({ dueAt }) => Date.parse(dueAt)));
  await eventually(async () => expect(await ledger.now()).toBeGreaterThan(last));
}

async function startsOf(tasks: readonly PausedBody[]): Promise<Start[]> {
  const ids = new Set(tasks.map(({ id }) => id));
  return (await ledger.starts()).filter(({ taskId }) => ids.has(taskId));
}

/** What is wrong with a task that was paused and resumed, by its row and its starts; empty: nothing. */
function faultsOf(
  paused: PausedBody,
  resumed: PausedBody,
  { done, starts, wasGivenBack }: { done: PausedBody; starts: Start[]; wasGivenBack: boolean },
): string[] {
  const [created, due, started] = [done.createdAt, done.dueAt, done.startedAt!].map((text) => Date.parse(text));
  const resumedAtMs = Date.parse(paused.pausedAt!) + resumed.pausedMs;
  const countdownMs = DELAY_MS + done.pausedMs;
  const isDue = wasGivenBack ? due! - created! >= countdownMs : due! - created! === countdownMs;
  const rules: [string, boolean][] = [
    [`is ${done.state}`, done.state === "succeeded"],
    [`started ${starts.length} times`, starts.length === 1],
    [`is due ${due! - created!} ms after its creation, and its delay and its pause say ${countdownMs}`, isDue],
    ["was paused for another time than its resume told", done.pausedMs === resumed.pausedMs],
    ["started early", started! >= due! && starts.every(({ atMs }) => atMs >= due!)],
    ["started while it was paused", starts.every(({ atMs }) => atMs >= resumedAtMs)],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => `task ${done.id} ${fault}`);
}

/** The node that owns some paused tasks is killed; half of its tasks are resumed at once, half when it is replaced. */
async function killOwner(kill: number): Promise<string[]> {
  const victim = nodes[kill % nodes.length]!;
  const others = nodes.filter((node) => node !== victim);
  const slots = await eventually(async () => {
    const owned = await keys.ownedBy(victim.pid);
    expect(owned.size).toBeGreaterThan(0);
    return owned;
  });
  const order = { type: TYPE, delay: DELAY_MS };
  const created = await Promise.all(
    nodes.map(({ client }) => client.scheduleMany(Array.from({ length: TASKS }, () => order))),
  );
  const paused = await pause(created.flat(), victim);
  const owned = paused.filter(({ id }) => slots.has(slotOfId(id)));
  await victim.kill();
  const soon = paused.filter((_, index) => index % 2 === 0);
  const late = paused.filter((_, index) => index % 2 === 1);
  const resumedSoon = await resume(soon, others[0]!);
  nodes = [...others, await startNode()];
  await eventually(() => expectOneView(nodes));
  await expectOverdue(late);
  const started = await startsOf(late);
  promised(() => expect(started).toEqual([]));
  const resumed = [...resumedSoon, ...(await resume(late, others[1]!))];
  await quiet(others[0]!);
  const starts = await startsOf(paused);
  printFigures("paused tasks of a killed node", {
    tasks: paused.length,
    owned: owned.length,
    late: latenessOf(starts),
  });
  expect(owned.length).toBeGreaterThan(0);
  const faults: string[] = [];
  for (const [index, task] of [...soon, ...late].entries())
    faults.push(...(await judge(task, resumed[index]!, starts)));
  return faults;
}

async function judge(paused: PausedBody, resumed: PausedBody, starts: readonly Start[]): Promise<string[]> {
  const { client } = nodes[0]!;
  const done = (await client.get<PausedBody>(`/v1/tasks/${paused.id}`)).body;
  const { items } = (await client.get<JournalBody>(`/v1/tasks/${paused.id}/journal`)).body;
  // A claim that got no answer is given back, due at once.
  const wasGivenBack = items.some(({ from, to }) => from === "running" && to === "scheduled");
  return faultsOf(paused, resumed, { done, starts: starts.filter(({ taskId }) => taskId === paused.id), wasGivenBack });
}

test("a paused countdown goes on for what remained of it, once, although the node that owned it was killed", async () => {
  const faults: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) faults.push(...(await killOwner(kill)));
  requirePromises(faults);
});
