import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, lineOf } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import { FINE, lookAt, openDashboard } from "../support/test-browser.js";

const TYPE = "order";

interface LifeBody {
  id: string;
  state: string;
  latenessMs: number | null;
  latenessParts: { takenFrom: { node: string } | null } | null;
}

const stage = new TestStage();
let nodes: TestNode[];
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  const ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const start = (): Promise<TestNode> => stage.app({ databaseUrl, redisUrl, types: [TYPE], api: { dashboard: true } });
  nodes = await stage.many(3, start);
  await eventually(() => expectOneView(nodes));
  ({ browser, page, faults } = await openDashboard(nodes[0]!, stage.apiKey));
});
afterAll(async () => {
  await browser?.close();
  await stage.stop();
});
beforeEach(() => void faults.splice(0));

const why = (): Locator => page.getByRole("region", { name: "Why" });
const stages = (): Locator => page.locator(".stages li");

async function open(id: string): Promise<void> {
  await page.goto(`${nodes[0]!.url}/dashboard/#/tasks/${id}`);
}

/** The parts that the page shows, in milliseconds, without and with their sum. */
async function partsShown(): Promise<{ parts: number[]; total: number }> {
  const numbers = await page.locator("table.split td.num").allInnerTexts();
  const ms = numbers.map((text) => Number(text.replace(/[^0-9]/g, "")));
  return { parts: ms.slice(0, -1), total: ms.at(-1)! };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

test("a task is watched while it waits and fires; its life is told, and its parts add up to its lateness", async () => {
  const { client } = nodes[0]!;
  const { id } = await client.schedule({ type: TYPE, delay: "4s", payload: {}, key: "life-1" });
  await open(id);
  await why()
    .getByText(/It waits for its time: it is due at/)
    .waitFor();
  expect(await stages().allInnerTexts()).toHaveLength(6);
  await why()
    .getByText(/It succeeded at its first attempt/)
    .waitFor();
  await page.getByRole("heading", { name: /^Where [\d,]+ ms went$/ }).waitFor();
  const { latenessMs } = (await client.get<LifeBody>(`/v1/tasks/${id}`)).body;
  const { parts, total } = await partsShown();
  expect([sum(parts), total]).toEqual([latenessMs, latenessMs]);
  expect(await stages().last().innerText()).toContain("Ended");
  await page.getByRole("list", { name: "Journal" }).getByText("Succeeded").waitFor();
  expect(await lookAt(page)).toEqual(FINE);
  expect(faults).toEqual([]);
});

test("a task that failed leads to all that failed for the same cause", async () => {
  const { client } = nodes[0]!;
  const failing = (fails: number) =>
    client.schedule({ type: TYPE, payload: { fails }, key: `cause-${fails}`, maxAttempts: 1 });
  const one = await failing(41);
  const other = await failing(42);
  await eventually(async () => {
    const { body } = await client.get<LifeBody & { fingerprint: string | null }>(`/v1/tasks/${other.id}`);
    expect(body).toMatchObject({ state: "dead", fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) });
  });
  await open(one.id);
  await page.getByRole("link", { name: "all tasks that failed so" }).click();
  await page.waitForURL(/#\/tasks\?q=print:[0-9a-f]{12}$/);
  for (const { id } of [one, other]) await page.getByRole("row").filter({ hasText: id }).waitFor();
  expect(await lookAt(page)).toEqual(FINE);
  expect(faults).toEqual([]);
});

test("a failed attempt is told with its error, and a reschedule moves the next one", async () => {
  const { client } = nodes[0]!;
  const { id } = await client.schedule({
    type: TYPE,
    payload: { fails: 1 },
    key: "life-2",
    backoff: { kind: "fixed", delay: "1h" },
  });
  await open(id);
  await why()
    .getByText(/Attempt 1 of 3 failed: .*\. The next one is due at/)
    .waitFor();
  await page.locator(".attempt[open] pre").first().waitFor();
  await page.getByRole("button", { name: "Reschedule…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Delay").fill("nonsense");
  await dialog.getByRole("button", { name: "Reschedule" }).click();
  await dialog.getByText("delay").first().waitFor();
  await dialog.getByLabel("Delay").fill("1s");
  await dialog.getByRole("button", { name: "Reschedule" }).click();
  await page.getByText("Rescheduled.").waitFor();
  await why()
    .getByText(/It succeeded at attempt 2 of 3; the one before failed/)
    .waitFor();
  expect(await page.locator(".attempt").count()).toBe(2);
  expect(await lookAt(page)).toEqual(FINE);
  expect(faults).toEqual([]);
});

test("a filter's address opens the same list on the page of another node", async () => {
  const tasks = Array.from({ length: 4 }, (_, index) => ({
    type: TYPE,
    delay: `${40 + index}m`,
    payload: {},
    key: `list-${index}`,
    tags: index < 3 ? ["shop:7"] : [],
  }));
  await nodes[2]!.client.post("/v1/tasks/bulk", { tasks });
  const address = `#/tasks/scheduled?q=type:${TYPE}+tag:shop:7`;
  const listOn = async (node: TestNode): Promise<string[]> => {
    await page.goto(`${node.url}/dashboard/${address}`);
    const rows = page.getByRole("table", { name: "Tasks" }).getByRole("row").filter({ hasText: "list-" });
    await rows.first().waitFor();
    return (await rows.getByRole("link").allInnerTexts()).filter((text) => text.startsWith("list-"));
  };
  expect(await listOn(nodes[0]!)).toEqual(["list-0", "list-1", "list-2"]);
  expect(await listOn(nodes[1]!)).toEqual(["list-0", "list-1", "list-2"]);
  expect(faults).toEqual([]);
});

test("a task that was taken over from a killed node names it, in its sentence and on its lanes", async () => {
  const { client } = nodes[0]!;
  const [, , victim] = nodes;
  const { label } = lineOf(await client.cluster(), victim!.pid)!;
  // They are due before the others can know of the death, which takes two seconds.
  const tasks = Array.from({ length: 120 }, (_, index) => ({
    type: TYPE,
    delay: 600 + 5 * index,
    payload: {},
    key: `take-${index}`,
  }));
  await client.post("/v1/tasks/bulk", { tasks });
  await victim!.kill();
  const killedAt = Date.now();
  const taken = await eventually(async () => {
    const { items } = (await client.get<{ items: LifeBody[] }>(`/v1/tasks?type=${TYPE}&state=succeeded&limit=200`))
      .body;
    const one = items.find(
      ({ latenessParts, latenessMs }) => latenessParts?.takenFrom?.node === label && latenessMs! >= 100,
    );
    expect(one).toBeDefined();
    return one!;
  });
  await open(taken.id);
  await why().getByText(`${label} had it`).waitFor();
  process.stdout.write(`shown ${((Date.now() - killedAt) / 1_000).toFixed(1)} s after the kill\n`);
  await page.locator(".lanes .who").filter({ hasText: label }).waitFor();
  await page.getByRole("rowheader", { name: `Waiting for ${label}` }).waitFor();
  const { parts, total } = await partsShown();
  expect([sum(parts), total]).toEqual([taken.latenessMs, taken.latenessMs]);
  expect(await lookAt(page)).toEqual(FINE);
  expect(faults).toEqual([]);
});
