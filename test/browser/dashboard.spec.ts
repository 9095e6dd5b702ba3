import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import pg from "pg";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { newTestKey, startSchedulerNode, startTestServices } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { faultsOf, launchChromium } from "../support/test-browser.js";

const apiKey = `${randomUUID()}${randomUUID()}`;
const type = "browser.test";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

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
  context = await browser!.newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  faults = faultsOf(page);
  await open("");
});

afterEach(async () => {
  await context?.close();
  expect(faults).toEqual([]);
});

const open = (fragment: string) => page.goto(new URL(`/dashboard/${fragment}`, node!.url).href);

async function logIn(key = apiKey): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Runs SQL on the database of the node. */
async function query(sql: string, values: unknown[] = []): Promise<void> {
  const database = new pg.Client({ connectionString: services!.databaseUrl });
  await database.connect();
  await database.query(sql, values).finally(() => database.end());
}

async function newViewerKey(): Promise<string> {
  const key = newTestKey();
  const sql = "INSERT INTO tickwheel.api_key (hash, namespace, role, cluster) VALUES ($1, 'default', 'viewer', false)";
  await query(sql, [hashApiKey(key)]);
  return key;
}

/** Ends all sessions as the server does when their time is over. */
const endSessions = () => query("DELETE FROM tickwheel.session");

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
  await page.getByRole("alert").getByText("This key is not known").waitFor();
  expect(await page.getByRole("heading", { name: "Overview" }).count()).toBe(0);
});

test("the overview shows the node, its leader and its mode", async () => {
  await logIn();
  const row = table("Nodes").getByRole("row").filter({ hasText: "live" });
  await row.getByText("leader").waitFor();
  expect(await row.count()).toBe(1);
  await page.getByText("coordinated through Postgres").waitFor();
});

describe("a session", () => {
  test("lives through a reload, and no script can read the key or the cookie", async () => {
    await logIn();
    await table("Nodes").waitFor();
    const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])";
    expect(await page.evaluate(kept)).toBe('[{},{},""]');
    await page.reload();
    await table("Nodes").waitFor();
    expect(await page.getByLabel("API key").count()).toBe(0);
  });

  test("is over after the log-out, also for the browser's other pages", async () => {
    await logIn();
    await page.getByRole("button", { name: "Logged in" }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("API key").waitFor();
    const status = await page.evaluate("fetch('../v1/session').then((answer) => answer.status)");
    expect(status).toBe(401);
  });

  test("brings back to the address that was asked for", async () => {
    await open("#/tasks?key=abc");
    await page.waitForURL(/#\/log-in\?back=/);
    await logIn();
    await page.waitForURL(/#\/tasks\?key=abc$/);
    await page.getByText("No task matches this filter").waitFor();
  });

  test("that ends asks for a key over the page, and what was written there stays", async () => {
    await logIn();
    await link("New task").click();
    await page.getByLabel("Type").fill(type);
    await endSessions();
    await page.getByRole("button", { name: "Create task" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await logIn();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("Type").inputValue()).toBe(type);
    await page.getByRole("button", { name: "Create task" }).click();
    await page.getByText("Created:").waitFor();
  });
});

test("a viewer sees why nothing can be done, and no button that does it", async () => {
  await logIn();
  const id = await createTask(randomUUID());
  await context!.clearCookies();
  await page.reload();
  await logIn(await newViewerKey());
  await page.getByText("You may read, not act: key").waitFor();
  await open(`#/tasks/${id}`);
  await page.getByLabel("Payload").getByText('"orderId": "4711"').waitFor();
  for (const name of ["Cancel task", "Run now"]) expect(await page.getByRole("button", { name }).count()).toBe(0);
  expect(await link("New task").count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Tasks", exact: true }).waitFor();
  expect(await page.getByRole("option", { name: /Cancel task|New task/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await open("#/");
  await page.getByText("This key may not see the cluster").waitFor();
});

test("the theme is the system's until one is chosen, and the choice lives through a reload", async () => {
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  expect(dark).not.toBe(light);
  await logIn();
  await page.getByRole("button", { name: "Theme: system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  expect(await ground()).toBe(dark);
  await page.reload();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  expect(await ground()).toBe(dark);
});

test("one key switches all times between the reader's zone and UTC", async () => {
  await context!.close();
  context = await browser!.newContext({ timezoneId: "Asia/Kolkata", viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  faults = faultsOf(page);
  await open("");
  await logIn();
  const id = await createTask(randomUUID());
  await open(`#/tasks/${id}`);
  const created = page.getByRole("definition").locator("time").first();
  const sent = Date.parse((await created.getAttribute("title"))!);
  const textAt = (at: number) => new Date(at).toISOString().slice(0, -1).replace("T", " ");
  expect(await created.innerText()).toContain(textAt(sent + 5.5 * 3_600_000));
  await page.keyboard.press("z");
  await page.getByRole("button", { name: "Times in UTC" }).waitFor();
  expect(await created.innerText()).toContain(textAt(sent));
});

describe("by the keyboard alone", () => {
  const focused = () => page.evaluate("document.activeElement?.textContent?.trim()") as Promise<string>;
  const at = (fragment: string) => page.waitForURL((url) => url.hash === fragment);

  test("pages, rows and the filter are reached, and a letter in a field is a letter", async () => {
    await logIn();
    const key = randomUUID();
    await createTask(key);
    await page.getByRole("heading", { name: "New task" }).click();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await at("#/tasks");
    await table("Tasks").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.press("Tab");
    await page.keyboard.type("gtz?");
    expect(await page.getByRole("search").getByLabel("Type").inputValue()).toBe("gtz?");
    await page.getByRole("heading", { name: "Tasks", exact: true }).click();
    await page.keyboard.press("j");
    expect(await focused()).toBe(key);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancel task" }).waitFor();
  });

  test("the skip link leads to the page, and a closed dialog gives the focus back", async () => {
    await logIn();
    await table("Nodes").waitFor();
    const find = page.getByRole("button", { name: "Find or do" });
    await find.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await find.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.getByRole("link", { name: "Skip to the page" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });

  test("single letters can be switched off", async () => {
    await logIn();
    await table("Nodes").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByLabel("Single letters act").uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Find or do" }).waitFor();
    expect(new URL(page.url()).hash).not.toBe("#/tasks");
  });

  test("space holds the figures and lets them go on", async () => {
    await logIn();
    await table("Nodes").waitFor();
    await page.getByRole("heading", { name: "Overview" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Paused", pressed: true }).waitFor();
    await page.keyboard.press("Space");
    await page.getByRole("button", { pressed: true }).waitFor({ state: "detached" });
  });
});

test("the palette goes to a page, finds a task by its id, and asks before it cancels", async () => {
  await logIn();
  const id = await createTask(randomUUID());
  const choose = async (text: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(text);
    await page.keyboard.press("Enter");
    await page.getByRole("combobox").waitFor({ state: "detached" });
  };
  await choose("overview");
  await table("Nodes").waitFor();
  await choose(id);
  await page.getByRole("button", { name: "Cancel task" }).waitFor();
  await choose("cancel");
  await page.getByRole("dialog", { name: "Cancel task?" }).getByRole("button", { name: "Back" }).waitFor();
});

/** What axe finds that is serious or critical, and by how many pixels the page is wider than its window. */
async function lookAt(): Promise<{ violations: string[]; overflowPx: number }> {
  const found = `${axe}; axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, target }) => id + ": " + target + " " + html)))`;
  const violations = (await page.evaluate(found)) as string[];
  const overflowPx = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
  return { violations, overflowPx };
}

describe.each(["light", "dark"] as const)("in %s, nothing is hard to read or out of reach", (colorScheme) => {
  const fine = { violations: [], overflowPx: 0 };

  test("on the log-in", async () => {
    await page.emulateMedia({ colorScheme });
    await page.getByLabel("API key").waitFor();
    expect(await lookAt()).toEqual(fine);
    await logIn("x".repeat(40));
    await page.getByRole("alert").waitFor();
    expect(await lookAt()).toEqual(fine);
  });

  test.each([1280, 1000, 390, 320])("on all pages at %d px", async (width) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await logIn();
    const id = await createTask("a-long-key-".repeat(12));
    await page.setViewportSize({ width, height: 900 });
    const waits: [string, ReturnType<typeof table>][] = [
      ["#/", table("Nodes")],
      ["#/tasks", table("Tasks")],
      [`#/tasks/${id}`, table("Journal")],
      ["#/new", page.getByLabel("Type")],
      ["#/tasks?key=none", page.getByText("No task matches this filter")],
      ["#/nowhere", page.getByText("There is no page at this address")],
    ];
    for (const [fragment, there] of waits) {
      await open(fragment);
      await there.first().waitFor();
      expect([fragment, await lookAt()]).toEqual([fragment, fine]);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    expect(await lookAt()).toEqual(fine);
    await open(`#/tasks/${id}`);
    await page.reload();
    await page.getByRole("button", { name: "Cancel task" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel task" }).click();
    await page.getByText("Cancelled. The task will not run.").waitFor();
  });
});

test("a phone has a bar with the pages, and the rest behind More", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await logIn();
  await table("Nodes").waitFor();
  await link("Tasks").click();
  await table("Tasks").or(page.getByText("There is no task yet")).waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("API key").waitFor();
});

test("all that the page loads is ours, and 200 kB at most as it is sent", async () => {
  const sizes: number[] = [];
  const origins = new Set<string>();
  page.on("response", (response) => {
    const url = new URL(response.url());
    origins.add(url.origin);
    if (url.pathname.startsWith("/dashboard/")) sizes.push(Number(response.headers()["content-length"] ?? 0));
  });
  await page.reload();
  await page.evaluate("document.fonts.ready");
  await eventually(() => expect(sizes.length).toBeGreaterThanOrEqual(5));
  expect([...origins]).toEqual([new URL(node!.url).origin]);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
});

test("a task is created, found in the list, opened with its journal, and cancelled", async () => {
  const key = randomUUID();
  await logIn();
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
  await logIn();
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
  await logIn();
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
  await logIn();
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

test("while Postgres is away one finding leads, figures are the last known, and nothing can be written", async () => {
  await logIn();
  await table("Nodes").waitFor();
  await services!.postgres.stop();
  const lead = page.getByRole("alert").filter({ hasText: "Postgres is away" });
  await lead.waitFor();
  await page.locator(".figures.is-stale").waitFor();
  expect(await page.getByRole("region", { name: "Verdict" }).count()).toBe(0);
  await link("New task").click();
  await lead.waitFor();
  expect(await page.getByRole("button", { name: "Create task" }).isDisabled()).toBe(true);
  await page.getByText("nothing can be changed until it answers").waitFor();
});
