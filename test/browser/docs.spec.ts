import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type TestNode, TestStage } from "../support/cluster.js";
import { faultsOf, launchChromium } from "../support/test-browser.js";

const stage = new TestStage();
let node: TestNode;
let browser: Browser | undefined;
let context: BrowserContext | undefined;
let page: Page;
let faults: string[];

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  node = await stage.scheduler({ databaseUrl });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await stage.stop();
});

beforeEach(async () => {
  context = await browser!.newContext();
  page = await context.newPage();
  faults = faultsOf(page);
  await page.goto(new URL("/docs", node.url).href);
});

afterEach(async () => {
  await context?.close();
  expect(faults).toEqual([]);
});

async function giveKey(key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Show" }).click();
}

const operations = () => page.locator(".opblock");

test("a wrong key shows no operation in the API's docs, and says why", async () => {
  await giveKey("x".repeat(40));
  await page.getByRole("alert").getByText("This API key is not accepted.").waitFor();
  expect(await operations().count()).toBe(0);
});

test("every operation of the API's docs is listed with a key, and nothing keeps the key", async () => {
  await giveKey(stage.apiKey);
  await operations().first().waitFor();
  const { body } = await node.client.get<{ paths: Record<string, object> }>("/openapi.json");
  const count = Object.values(body.paths).flatMap((path) => Object.keys(path)).length;
  expect(await operations().count()).toBe(count);
  expect(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")).toEqual([0, 0, ""]);
  await page.reload();
  await page.getByLabel("API key").waitFor();
});

test("an operation that is tried out in the API's docs is called with the key", async () => {
  await giveKey(stage.apiKey);
  const stats = operations().filter({ hasText: "Counts tasks and shows lateness" });
  await stats.locator(".opblock-summary-control").click();
  await stats.getByRole("button", { name: "Try it out" }).click();
  await stats.getByRole("button", { name: "Execute" }).click();
  await stats.locator(".live-responses-table .response-col_status").getByText("200").waitFor();
  expect(await stats.locator(".request-url").innerText()).toContain(`${node.url}/v1/stats`);
});
