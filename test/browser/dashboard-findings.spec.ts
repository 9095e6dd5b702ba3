import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import type { RedisService } from "@tickwheel/local-services";
import type { Browser, Locator, Page } from "playwright-core";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import { openDashboard } from "../support/test-browser.js";
import type { OwnPostgres } from "../support/servers/own-postgres.js";

const OUTAGE_MS = 10_000;

const stage = new TestStage();
let nodes: TestNode[];
let postgres: OwnPostgres;
let redis: RedisService;
let ledger: Ledger;
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  const services = await stage.services({ redis: true });
  const { databaseUrl, redisUrl } = services;
  postgres = services.postgres;
  redis = services.redis!;
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const start = (): Promise<TestNode> =>
    stage.app({ databaseUrl, redisUrl, types: ["order"], api: { dashboard: true } });
  nodes = await stage.many(3, start);
  await eventually(() => expectOneView(nodes));
  ({ browser, page, faults } = await openDashboard(nodes[0]!, stage.apiKey));
});
afterAll(async () => {
  await browser?.close();
  await stage.stop();
});

/** The finding with this title on the page. */
const finding = (title: string | RegExp): Locator => page.locator(".finding").filter({ hasText: title });

/** Waits until it is told, once, and says what its cure is. */
async function told(title: string | RegExp, cure: string): Promise<Locator> {
  const one = finding(title);
  await one.first().waitFor();
  expect(await one.count()).toBe(1);
  await one.getByText(cure).waitFor();
  return one;
}

async function gone(title: string | RegExp): Promise<void> {
  await finding(title).waitFor({ state: "detached" });
}

describe("a session with three nodes", () => {
  test("a session with three nodes lives through a reload, is known to the other nodes, and asks for the key when it ends", async () => {
    const loggedIn = page.getByRole("button", { name: "Logged in: admin" });
    await loggedIn.waitFor();
    await page.reload();
    await loggedIn.waitFor();
    // A cookie is a host's, whatever the port.
    await page.goto(`${nodes[1]!.url}/dashboard/#/new`);
    await page.locator("form").getByRole("combobox", { name: "Type" }).fill("half.written");
    await ledger.query("DELETE FROM tickwheel.session");
    const logIn = page.getByRole("dialog");
    await logIn.getByLabel("API key").fill(stage.apiKey);
    await logIn.getByRole("button", { name: "Log in" }).click();
    await logIn.waitFor({ state: "detached" });
    expect(await page.locator("form").getByRole("combobox", { name: "Type" }).inputValue()).toBe("half.written");
    await page.goto(`${nodes[0]!.url}/dashboard/`);
  });

  test("a session of a viewer shows what it may read, and no button that acts", async () => {
    const key = newTestKey();
    await ledger.query(
      `INSERT INTO tickwheel.api_key (hash, namespace, role, cluster) VALUES ('${hashApiKey(key)}', 'default', 'viewer', true)`,
    );
    const viewer = await (await browser.newContext()).newPage();
    await viewer.goto(`${nodes[2]!.url}/dashboard/`);
    await viewer.getByLabel("API key").fill(key);
    await viewer.getByRole("button", { name: "Log in" }).click();
    await viewer.getByText("You may read, not act").waitFor();
    expect(await viewer.getByRole("link", { name: "New task" }).count()).toBe(0);
    await viewer.context().close();
  });
});

describe("what is the matter with three nodes is on the page, once, with its cure, and gone when it is cured", () => {
  test("the page tells of a type that no node runs, of one that fails, and of Redis away, all at once, until each is cured", async () => {
    await page.getByText("All is well").waitFor();
    const order = (payload: object): object => ({ type: "order", payload, maxAttempts: 1 });
    const bulk = (count: number, payload: object) =>
      nodes[1]!.client.post("/v1/tasks/bulk", { tasks: Array.from({ length: count }, () => order(payload)) });
    const lost = await nodes[1]!.client.schedule({ type: "mail.send", payload: {} });
    await bulk(20, { fails: 9 });
    await redis.kill();
    const [without, failing, away] = [
      "No live node runs mail.send",
      /order: \d+ % of attempts fail/,
      "Redis is away from all 3 nodes",
    ] as const;
    await told(without, "Start a node with this handler.");
    await told(failing, "retry the dead");
    await told(away, "Look at Redis.");
    await redis.restart();
    await nodes[2]!.client.delete(`/v1/tasks/${lost.id}`);
    await bulk(100, {});
    for (const title of [without, failing, away]) await gone(title);
  });

  test("the page tells of a schedule that paused itself, with the way to the schedule's page, until it is cured", async () => {
    const { client } = nodes[1]!;
    const definition = { name: "unlucky", type: "order", payload: { fails: 9 }, every: "1s" };
    await client.post("/v1/schedules", { ...definition, maxAttempts: 1, pauseAfterFailures: 2 });
    const title = "The schedule unlucky paused itself after 2 failures in a row";
    const one = await told(title, "Then resume the schedule.");
    await one.getByRole("link", { name: "The schedule" }).click();
    await page.getByRole("heading", { name: "unlucky" }).waitFor();
    await page.goBack();
    await finding(title).waitFor();
    await client.delete("/v1/schedules/unlucky");
    await gone(title);
  });

  test("the page tells of Postgres away, which leaves it readable and stands for all that follows from it", async () => {
    await postgres.kill();
    await told("Postgres is away", "Look at the server or its failover.");
    await lasting(OUTAGE_MS);
    expect(await page.locator(".finding").count()).toBe(1);
    await postgres.restart();
    await gone("Postgres is away");
  });

  test("the page tells of a node that stands still and is then killed, and its death takes the place of its silence", async () => {
    process.kill(nodes[2]!.pid, "SIGSTOP");
    await told(/is suspect: no beat for/, "It is declared dead unless it beats.");
    await nodes[2]!.kill();
    await told(/died, and its tasks were taken over/, "Nothing to do here.");
    await gone(/is suspect: no beat for/);
    expect(faults).toEqual([]);
  });
});
