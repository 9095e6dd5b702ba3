import { beforeEach, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { dashboardOfSpec } from "../support/dashboard-page.js";
import { eventually } from "../support/eventually.js";
import { FINE, lookAt } from "../support/test-browser.js";

const WELL = "order.cancel";
/** Its breaker opens for a minute when two attempts have failed. */
const GUARDED = "guarded";
/** The namespace of the keys that the tests have. */
const NAMESPACE = "Namespace default";

const dashboard = dashboardOfSpec([WELL, GUARDED]);
let page: Page;

beforeEach(() => {
  ({ page } = dashboard);
});

const region = (name: string): Locator => page.getByRole("region", { name, exact: true });
const button = (name: string): Locator => page.getByRole("button", { name });
/** The row of a type in the table, without what is open below it. */
const heading = (): Locator => page.getByRole("heading", { level: 1 });

/** Creates a task that is due at once, and gives its id. */
async function createDue(type: string, fields: object = {}): Promise<string> {
  const { status, body } = await dashboard.client.post<{ id: string }>("/v1/tasks", { type, delay: 0, ...fields });
  expect(status).toBe(201);
  return body.id;
}

test("a type is paused with a reason, says so on its page and where its tasks wait, and is resumed", async () => {
  await dashboard.logIn();
  await dashboard.open(`#/types/${WELL}`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Pause…" }).click();
  await dialog.getByRole("button", { name: "Pause type" }).click();
  await dialog.getByRole("alert").getByText("Say why").waitFor();
  await dialog.getByLabel("Reason").fill("stock count");
  await dialog.getByLabel("Until").fill("2100-01-01T08:00");
  await dialog.getByRole("button", { name: "Pause type" }).click();
  await region("Its pause").getByText("“stock count”").waitFor();
  await region("Its pause").getByText("It goes on at 2100-01-01 08:00").waitFor();
  await heading().getByText("paused").waitFor();
  await region("What its tasks get").getByText("from 1 s, doubled up to 1 h").waitFor();
  const { body: task } = await dashboard.client.post<{ id: string }>("/v1/tasks", { type: WELL });
  await dashboard.open(`#/tasks/${task.id}`);
  await region("Why").getByText("its type is paused by").waitFor();
  expect(await lookAt(page)).toEqual(FINE);

  await dashboard.open(`#/types/${WELL}`);
  await region("Its pause").waitFor();
  expect(await lookAt(page)).toEqual(FINE);
  await page.getByRole("button", { name: `Settings of ${WELL}` }).click();
  await dialog.getByLabel("At once on each node").fill("0");
  await dialog.getByRole("button", { name: "Set" }).click();
  await dialog.getByRole("alert").getByText("from 1 to 10,000").waitFor();
  await dialog.getByLabel("At once on each node").fill("5");
  await dialog.getByLabel("At once in the whole cluster").fill("20");
  await dialog.getByLabel("Starts in the whole cluster").fill("100");
  await dialog.getByLabel("Keep succeeded tasks for").fill("30m");
  await dialog.getByRole("button", { name: "Set" }).click();
  await dialog.getByRole("alert").getByRole("listitem").getByText("from 1 h").waitFor();
  await dialog.getByLabel("Keep succeeded tasks for").fill("36h");
  await dialog.getByRole("button", { name: "Set" }).click();
  await page.getByText("At once on each node").waitFor();
  await page.getByText("for 1 d 12 h").waitFor();
  await page
    .getByText(/of 20( run)?$/)
    .first()
    .waitFor();
  await page.getByText("100 in 1 s, 100 at once after a rest").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause…" }).waitFor();
});

test("a type that consumers fetch shows who works on which task until when, and why a due one waits", async () => {
  const type = "image.resize";
  const id = await createDue(type, { deliver: { kind: "pull" } });
  await dashboard.logIn();
  await dashboard.open(`#/tasks/${id}`);
  await region("Why").getByText("It waits for a consumer to fetch it").waitFor();
  await dashboard.open(`#/types/${type}`);
  await page.getByText("a pull queue: consumers fetch it").waitFor();
  await region("Its consumers").getByText("No consumer works on a task of it.").waitFor();
  const { body } = await dashboard.client.post<{ claims: { token: string }[] }>(`/v1/queues/${type}/claims`, {
    consumer: "py-7",
    leaseMs: 60_000,
  });
  await region("Its consumers").getByText("py-7").waitFor();
  await region("Its consumers")
    .getByRole("link", { name: id.slice(-12) })
    .waitFor();
  expect(await lookAt(page)).toEqual(FINE);
  await dashboard.client.post(`/v1/claims/${body.claims[0]!.token}/complete`, {});
});

test("an open breaker tells since when, what is next and what waits, and a button closes it", async () => {
  for (let failed = 0; failed < 2; failed++) await createDue(GUARDED, { maxAttempts: 1, payload: { fails: 9 } });
  await dashboard.logIn();
  await dashboard.open(`#/types/${GUARDED}`);
  await region("Its breaker").getByText("its attempts fail, so no node starts any. The next trial").waitFor();
  await heading().getByText("breaker open", { exact: true }).waitFor();

  const waiting = await createDue(GUARDED, { payload: {} });
  await region("Its breaker").getByText("1 due and waiting.").waitFor();
  await page.getByText("Its tasks wait: its breaker is open.").waitFor();
  await region("Its dead tasks by cause").getByRole("link").first().waitFor();
  expect(await lookAt(page)).toEqual(FINE);
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await lookAt(page)).toEqual(FINE);
  await page.setViewportSize({ width: 1_280, height: 900 });

  await dashboard.open("#/");
  await page.getByRole("heading", { name: `The breaker of ${GUARDED} is open since` }).waitFor();
  await dashboard.open(`#/tasks/${waiting}`);
  await region("Why").getByText(`It waits because attempts of ${GUARDED} fail: the breaker is open since`).waitFor();
  await region("Why").getByRole("link", { name: "The type" }).click();
  await button("Close the breaker").click();
  await page.getByText("Closed: its tasks start again within seconds.").waitFor();
  await region("Its breaker").waitFor({ state: "detached" });
  await dashboard.open(`#/tasks/${waiting}`);
  await region("Why").getByText("It succeeded at its first attempt").waitFor();
  await dashboard.open("#/cluster");
  await page.getByText(`The breaker of ${GUARDED} opened for 1 min`).first().waitFor();
  await page.getByText(`The breaker of ${GUARDED} closed by first key`).first().waitFor();
});

test("an administrator sets limits of the namespace, sees how full they are, and takes them away", async () => {
  await dashboard.logIn();
  await dashboard.open("#/types");
  const dialog = page.getByRole("dialog");
  await region(NAMESPACE).getByText("It has no limits.").waitFor();
  await button("Limits…").click();
  await dialog.getByLabel("At once in the whole cluster").fill("1001");
  await dialog.getByRole("button", { name: "Set" }).click();
  await dialog.getByRole("alert").getByText("from 1 to 1,000").waitFor();
  await dialog.getByLabel("At once in the whole cluster").fill("200");
  await dialog.getByLabel("Starts in the whole cluster").fill("100");
  expect(await lookAt(page)).toEqual(FINE);
  await dialog.getByRole("button", { name: "Set" }).click();
  await region(NAMESPACE).getByText("0 of 200 run").waitFor();
  await region(NAMESPACE).getByText("100 in 1 s, 100 at once after a rest; 100 may start now").waitFor();
  expect(await lookAt(page)).toEqual(FINE);

  await button("Limits…").click();
  await dialog.getByLabel("At once in the whole cluster").fill("");
  await dialog.getByLabel("Starts in the whole cluster").fill("");
  await dialog.getByRole("button", { name: "Set" }).click();
  await region(NAMESPACE).getByText("It has no limits.").waitFor();
  expect((await dashboard.client.get<{ limits: unknown }>("/v1/namespace")).body.limits).toBeNull();
});

test("a user who may only read sees the limits and the pause of the namespace, and sets none", async () => {
  const { client } = dashboard;
  await client.patch("/v1/namespace", { maxRunning: 7 });
  await client.post("/v1/namespace/pause", { reason: "stock count" });
  await dashboard.logIn(await dashboard.newViewerKey());
  await dashboard.open("#/types");
  await region(NAMESPACE).getByText("of 7 run").waitFor();
  await region("The pause of the namespace").getByText("“stock count”").waitFor();
  expect(await button("Limits…").count()).toBe(0);
  await client.patch("/v1/namespace", { maxRunning: null });
  await client.post("/v1/namespace/resume");
  await eventually(async () => expect(await region(NAMESPACE).count()).toBe(0));
});
