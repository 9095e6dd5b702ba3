import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startSchedulerNode, startTestServices } from "../support/cluster.js";
import { faultsOf, launchChromium } from "../support/test-browser.js";

const apiKey = `${randomUUID()}${randomUUID()}`;
const type = "browser.test";

let services: Awaited<ReturnType<typeof startTestServices>> | undefined;
let node: Awaited<ReturnType<typeof startSchedulerNode>> | undefined;
let browser: Browser | undefined;
let context: BrowserContext | undefined;
let page: Page;
let faults: string[];

beforeAll(async () => {
  services = await startTestServices();
  node = await startSchedulerNode({ databaseUrl: services.databaseUrl, redisUrl: services.redisUrl, apiKey });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await node?.stop();
  await services?.stop();
});

beforeEach(async () => {
  context = await browser!.newContext();
  page = await context.newPage();
  faults = faultsOf(page);
  await page.goto(new URL("/dashboard/", node!.url).href);
});

afterEach(async () => {
  await context?.close();
  expect(faults).toEqual([]);
});

async function logIn(key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
}

const link = (name: string) => page.getByRole("link", { name, exact: true });
const table = (name: string) => page.getByRole("table", { name });

/** Creates a task that is due in an hour, and gives its id. */
async function createTask(key: string): Promise<string> {
  await link("New task").first().click();
  await page.getByLabel("Type").fill(type);
  await page.getByLabel("Payload (JSON)").fill('{"orderId":"4711"}');
  await page.getByLabel("Delay", { exact: true }).fill("1h");
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Create task" }).click();
  return page.getByText("Created:").getByRole("link").innerText();
}

test("a wrong key is refused with a clear message, and nothing is shown", async () => {
  await logIn("x".repeat(40));
  await page.getByRole("alert").getByText("This API key is not accepted").waitFor();
  expect(await page.getByRole("heading", { name: "Overview" }).count()).toBe(0);
});

test("the overview shows the node, its leader and its mode, and keeps the key out of the browser's stores", async () => {
  await logIn(apiKey);
  const row = table("Nodes").getByRole("row").filter({ hasText: "live" });
  await row.getByText("leader").waitFor();
  expect(await row.count()).toBe(1);
  await page.getByText("Coordination").waitFor();
  expect(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")).toEqual([0, 0, ""]);
  await page.reload();
  await page.getByLabel("API key").waitFor();
});

test("a task is created, found in the list, opened with its journal, and cancelled", async () => {
  const key = randomUUID();
  await logIn(apiKey);
  const id = await createTask(key);

  await link("Tasks").click();
  const filter = page.getByRole("search");
  await filter.getByLabel("Key").fill(key);
  await filter.getByRole("button", { name: "Filter" }).click();
  await table("Tasks").getByRole("link", { name: id }).click();

  await page.getByLabel("Payload").getByText('"orderId": "4711"').waitFor();
  await table("Journal").getByRole("row").filter({ hasText: "scheduled" }).waitFor();

  await page.getByRole("button", { name: "Cancel task" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel task" }).click();
  await page.getByText("Cancelled. The task will not run.").waitFor();
  await table("Journal").getByRole("row").filter({ hasText: "cancelled" }).waitFor();
  await page.getByRole("button", { name: "Retry" }).waitFor();
  expect(await page.getByRole("button", { name: "Cancel task" }).count()).toBe(0);
});

test("bad input is refused with every fault by its path", async () => {
  await logIn(apiKey);
  await link("New task").first().click();
  await page.getByLabel("Type").fill("not a type");
  await page.getByLabel("Delay", { exact: true }).fill("soon");
  await page.getByRole("button", { name: "Create task" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText("VALIDATION_FAILED").waitFor();
  const paths = await alert.locator("li code").allInnerTexts();
  expect(paths.toSorted()).toEqual(["delay", "type"]);
});

test("two merges become one task, and only they are asked for reducers", async () => {
  await logIn(apiKey);
  await createTask(randomUUID());
  const reducers = page.getByLabel("Reducers");
  expect(await reducers.count()).toBe(0);
  await page.getByLabel("Key", { exact: true }).fill(randomUUID());
  await page.getByLabel("If the key is taken").selectOption("merge");
  await page.getByLabel("Waits at most").fill("2h");
  await reducers.fill("bytes: sum");
  await page.getByLabel("Payload (JSON)").fill('{"bytes":0.1}');
  const create = page.getByRole("button", { name: "Create task" });
  await create.click();
  await page.getByRole("alert").getByText("merge.bytes", { exact: true }).waitFor();
  await reducers.fill("bytes: add");
  await create.click();
  await page.getByText("Created:").waitFor();
  await page.getByLabel("Payload (JSON)").fill('{"bytes":0.2}');
  await create.click();
  await page.getByText("Merged into the live task with this key:").getByRole("link").click();
  await page.getByLabel("Payload").getByText('"bytes": 0.3').waitFor();
});

test("a task's tags lead to the list of those that have them", async () => {
  await logIn(apiKey);
  await createTask(randomUUID());
  const tag = `shop:7 & ${randomUUID()}`;
  await page.getByLabel("Tags", { exact: true }).fill(`vip, ${tag},`);
  await page.getByLabel("Key", { exact: true }).fill(randomUUID());
  await page.getByRole("button", { name: "Create task" }).click();
  await page.getByText("Created:").getByRole("link").click();
  await page.getByRole("link", { name: `Tasks tagged ${tag}` }).click();

  const rows = table("Tasks").getByRole("row");
  await rows.getByRole("link", { name: `Tasks tagged ${tag}` }).waitFor();
  expect(await rows.count()).toBe(2);
  expect(await page.getByRole("search").getByLabel("Tag").inputValue()).toBe(tag);
  await rows.getByRole("link", { name: "Tasks tagged vip" }).click();
  await page.waitForURL(/tag=vip/);
  await rows.getByRole("link", { name: "Tasks tagged vip" }).first().waitFor();
});
