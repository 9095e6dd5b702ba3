import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";
import { faultsOf, FINE, launchChromium, logIn, lookAt } from "../support/test-browser.js";

/** A type that no node runs. */
const TYPE = "mail.send";

const key = newTestKey();
let postgres: TestPostgres;
let served: HostedApi;
let browser: Browser;
let contexts: BrowserContext[] = [];
let faults: string[][] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("dashboard_keys");
  const imports = [
    // The application's own log-in is a cookie; without it there is the page's own.
    DelayTaskApiModule.forRoot({
      notice: false,
      authenticate: ({ headers }) =>
        headers.cookie?.includes("sid=olga") ? { role: "operator", name: "olga@example.com" } : null,
    }),
    DelayTaskModule.forRoot({ url, heartbeat: "loop" }),
  ];
  served = await hostApi({ imports }, key);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await served?.app.close();
  await postgres?.stop();
});
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  const happened = faults.flat();
  [contexts, faults] = [[], []];
  expect(happened).toEqual([]);
});

/** The page as somebody whom no browser knows; with a cookie of the application's log-in as its user. */
async function openPage(fragment: string, sid?: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
  contexts.push(context);
  if (sid !== undefined) await context.addCookies([{ name: "sid", value: sid, url: served.api.url }]);
  const page = await context.newPage();
  faults.push(faultsOf(page));
  await page.goto(`${served.api.url}/dashboard/${fragment}`);
  return page;
}

const rowOf = (page: Page, table: string, text: string): Locator =>
  page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: text });
/** A page whose session has ended learns it with the next call. */
const isGone = (page: Page): Promise<void> => page.getByText("Your session has ended").first().waitFor();

/** The page whose stream tells the end of a session. */
const openOverview = (page: Page): Promise<void> =>
  page.getByRole("link", { name: "Overview", exact: true }).first().click();

test("an administrator makes a key, sees it once, rotates and revokes it, and its session is out", async () => {
  const options = { permissions: ["clipboard-read", "clipboard-write"] };
  const page = await openPage("#/keys", undefined, options);
  await logIn(page, key);
  const dialog = page.getByRole("dialog");
  await rowOf(page, "Keys", "you are using this key").getByText("first key").waitFor();
  await rowOf(page, "Sessions", "your session").waitFor();

  await page.getByRole("button", { name: "New key…" }).click();
  await dialog.getByLabel("Name").fill("no name");
  await dialog.getByRole("button", { name: "Make key" }).click();
  await dialog.locator(".field").getByText("must be 1 to 64 characters").waitFor();
  await dialog.getByLabel("Name").fill("shop");
  await dialog.getByLabel("Role").selectOption("admin");
  expect(await dialog.getByLabel("Sees payloads").isDisabled()).toBe(true);
  await dialog.getByLabel("Role").selectOption("operator");
  await dialog.getByLabel("Sees payloads").check();
  await dialog.getByLabel("Ends").fill("2100-01-01T08:00");
  expect(await lookAt(page)).toEqual(FINE);
  await dialog.getByRole("button", { name: "Make key" }).click();
  await dialog.getByText("It is shown only now").waitFor();
  const shown = (await dialog.getByRole("group", { name: "The key" }).innerText()).trim();
  await dialog.getByRole("button", { name: "Copy key" }).click();
  await dialog.getByText("Copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(shown);
  await dialog.getByRole("button", { name: "I have it" }).click();
  await rowOf(page, "Keys", "shop").getByText("operator, payload").waitFor();
  expect(await page.content()).not.toContain(shown);

  const other = await openPage("#/keys");
  await logIn(other, shown);
  await other.getByRole("heading", { name: "You may not manage API keys" }).waitFor();
  expect(await other.getByRole("navigation").getByRole("link", { name: "API keys" }).count()).toBe(0);
  await openOverview(other);

  await page.getByRole("button", { name: "New key…" }).click();
  await dialog.getByLabel("Name").fill("shop");
  await dialog.getByRole("button", { name: "Make key" }).click();
  await dialog.locator(".field").getByText("There is a key with the name shop.").waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();

  await page.getByRole("button", { name: "Change shop…" }).click();
  expect(await dialog.getByLabel("Ends").inputValue()).toBe("2100-01-01T08:00");
  expect(await dialog.getByRole("button", { name: "Change key" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Name").fill("till");
  await dialog.getByLabel("Ends").fill("");
  await dialog.getByRole("button", { name: "Change key" }).click();
  await page.getByRole("button", { name: "Change till…" }).click();
  expect(await dialog.getByLabel("Ends").inputValue()).toBe("");
  await dialog.getByLabel("Name").fill("shop");
  await dialog.getByRole("button", { name: "Change key" }).click();

  await page.getByRole("button", { name: "Rotate shop…" }).click();
  expect(await dialog.getByLabel("Sees payloads").isChecked()).toBe(true);
  await dialog.getByLabel("Both work for").fill("90d");
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  await dialog.locator(".field").getByText("must be from 0s to 30d").waitFor();
  await dialog.getByLabel("Both work for").fill("1h");
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  const next = (await dialog.getByRole("group", { name: "The key" }).innerText()).trim();
  await dialog.getByRole("button", { name: "I have it" }).click();
  const old = rowOf(page, "Keys", "works, replaced");
  await old.getByText(shown.slice(0, 9)).waitFor();
  await rowOf(page, "Keys", next.slice(0, 9)).waitFor();
  expect(await lookAt(page)).toEqual(FINE);
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await lookAt(page)).toEqual(FINE);
  await page.setViewportSize({ width: 1_280, height: 900 });

  await old.getByRole("button", { name: "Revoke shop…" }).click();
  await dialog.getByLabel("Reason").fill("it was seen in a log");
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Revoked. It works on no node after 5 s.").waitFor();
  await isGone(other);
  await page.getByRole("button", { name: "Revoked", exact: true }).click();
  await rowOf(page, "Keys", shown.slice(0, 9)).getByText("revoked by first key").waitFor();
});

test("an administrator ends sessions, and is asked before the own key is revoked", async () => {
  const { body } = await served.api.post<{ key: string }>("/v1/api-keys", { name: "boss", role: "admin" });
  const page = await openPage("#/keys");
  await logIn(page, key);
  const dialog = page.getByRole("dialog");
  const boss = await openPage("#/keys");
  await logIn(boss, body.key);
  await rowOf(boss, "Sessions", "your session").waitFor();
  await page.reload();
  await rowOf(page, "Sessions", "boss").getByRole("button", { name: "End a session of boss…" }).click();
  await dialog.getByRole("button", { name: "End session" }).click();
  await openOverview(boss);
  await isGone(boss);
  await rowOf(page, "Sessions", "boss").waitFor({ state: "detached" });

  await logIn(boss, body.key);
  await boss.getByRole("link", { name: "API keys" }).first().click();
  const own = boss.getByRole("dialog").filter({ hasText: "You are using this key" });
  await boss.getByRole("button", { name: "Revoke boss…" }).click();
  expect(await own.getByRole("button", { name: "Revoke key" }).isDisabled()).toBe(true);
  await own.getByLabel("Revoke it all the same").check();
  await own.getByRole("button", { name: "Revoke key" }).click();
  await openOverview(boss);
  await isGone(boss);
});

test("an administrator makes a worker's key, changes its types and rotates it; the page lets no worker in", async () => {
  const page = await openPage("#/keys");
  await logIn(page, key);
  const dialog = page.getByRole("dialog");
  await page.getByText("A worker's key may claim tasks of the types that it names").waitFor();

  await page.getByRole("button", { name: "New key…" }).click();
  await dialog.getByLabel("Name").fill("resizer");
  expect(await dialog.getByLabel("Types").count()).toBe(0);
  await dialog.getByLabel("Role").selectOption("worker");
  for (const right of ["Sees payloads", "With the right cluster"])
    expect(await dialog.getByLabel(right).count()).toBe(0);
  await dialog.getByRole("button", { name: "Make key" }).click();
  await dialog.locator(".field").getByText("must be a list of 1 to 100 types").waitFor();
  await dialog.getByLabel("Types").fill("image.*\nno type!");
  await dialog.getByRole("button", { name: "Make key" }).click();
  await dialog.locator(".field").getByText("must be 1 to 128").waitFor();
  await dialog.getByLabel("Types").fill("image.*, mail.send");
  expect(await lookAt(page)).toEqual(FINE);
  await dialog.getByRole("button", { name: "Make key" }).click();
  const shown = (await dialog.getByRole("group", { name: "The key" }).innerText()).trim();
  await dialog.getByRole("button", { name: "I have it" }).click();
  await rowOf(page, "Keys", "resizer").getByText("image.*, mail.send").waitFor();

  await page.getByRole("button", { name: "Change resizer…" }).click();
  expect(await dialog.getByLabel("Types").inputValue()).toBe("image.*\nmail.send");
  expect(await dialog.getByRole("button", { name: "Change key" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Types").fill("video.*");
  await dialog.getByRole("button", { name: "Change key" }).click();
  await rowOf(page, "Keys", "resizer").getByText("video.*").waitFor();

  await page.getByRole("button", { name: "Rotate resizer…" }).click();
  expect(await dialog.getByLabel("Types").inputValue()).toBe("video.*");
  await dialog.getByLabel("Both work for").fill("0s");
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  const next = (await dialog.getByRole("group", { name: "The key" }).innerText()).trim();
  await dialog.getByRole("button", { name: "I have it" }).click();
  await rowOf(page, "Keys", next.slice(0, 9)).getByText("video.*").waitFor();
  expect(next).not.toBe(shown);

  const other = await openPage("#/keys");
  await logIn(other, next);
  await other.getByText("A worker has no session of the page").waitFor();
});

test("a page in the application's own log-in opens without a form and a log-out, and an operator pauses a type", async () => {
  await served.api.post("/v1/tasks", { type: TYPE, delay: "1h" });
  const page = await openPage(`#/types/${TYPE}`, "olga");
  await page.getByRole("button", { name: "Pause…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("stock count");
  await dialog.getByRole("button", { name: "Pause type" }).click();
  await page.getByRole("region", { name: "Its pause", exact: true }).getByText("olga@example.com").waitFor();
  const { body } = await served.api.get<{ items: { actor: string }[] }>("/v1/pauses");
  expect(JSON.stringify(body)).toContain("user:olga@example.com");
  const navigation = page.getByRole("navigation", { name: "Pages" }).first();
  expect(await navigation.getByRole("link", { name: "New task" }).count()).toBe(1);
  for (const name of ["API keys", "Cluster"]) expect(await navigation.getByRole("link", { name }).count()).toBe(0);
  expect(await page.getByLabel("API key").count()).toBe(0);
  await eventually(async () => expect(await page.getByText("olga@example.com").count()).toBeGreaterThan(0));
  expect(await page.getByRole("button", { name: "Log out" }).count()).toBe(0);
});
