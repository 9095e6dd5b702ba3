import { beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { dashboardOfSpec, partsOf } from "../support/dashboard-page.js";
import { eventually } from "../support/eventually.js";
import { FINE, lookAt } from "../support/test-browser.js";

/** Types that the node runs, see `app/recording-handler.mjs`. */
const SETTLE = "settle";
const REMIND = "remind";
const TITLE = "Error: asked to fail # times";
const WIDTHS = [1280, 320];

const dashboard = dashboardOfSpec([SETTLE, REMIND]);
let page: Page;
beforeEach(async () => {
  ({ page } = dashboard);
  const tasks = [...Array<string>(3).fill(SETTLE), REMIND].map((type) => ({
    type,
    payload: { fails: 99 },
    maxAttempts: 1,
  }));
  const before = await deadCount();
  expect((await dashboard.client.post("/v1/tasks/bulk", { tasks })).status).toBe(200);
  await eventually(async () => expect(await deadCount()).toBe(before + tasks.length));
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
});
const { button, dialog, row } = partsOf(dashboard);

async function deadCount(): Promise<number> {
  return (await dashboard.client.get<{ tasks: number }>("/v1/dead-letters")).body.tasks;
}

async function countOf(type: string): Promise<number> {
  return (await dashboard.client.get<{ tasks: number }>(`/v1/dead-letters?type=${type}`)).body.tasks;
}

const looksFine = async (): Promise<void> => {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    expect(await lookAt(page)).toEqual(FINE);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

test("dead tasks stand by cause, and a cause tells where its tasks died and which they are", async () => {
  const count = await countOf(SETTLE);
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.waitForURL(/#\/dead$/);
  const causes = dashboard.table("Causes of dead letters");
  await causes.waitFor();
  await page.getByText(/^\d+ tasks have 2 causes\.$/).waitFor();
  const settle = row("Causes of dead letters", SETTLE);
  await settle.getByText("attempts used up").waitFor();
  await settle.getByRole("img", { name: `${count} deaths in 7 days` }).waitFor();
  await looksFine();
  const all = await deadCount();
  await page.getByRole("navigation", { name: "Pages" }).getByText(`${all} are dead`).waitFor();
  await page.getByLabel("Ended because").selectOption("its nodes crashed");
  await page.waitForURL(/#\/dead\?reason=CRASHES$/);
  await page.getByText("No cause matches").waitFor();
  await page.getByLabel("Ended because").selectOption("Any");
  await page.waitForURL(/#\/dead$/);
  await button("24 h").click();
  await page.waitForURL(/#\/dead\?since=24h$/);
  await page.getByLabel("Type", { exact: true }).fill(REMIND);
  await page.keyboard.press("Enter");
  await page.getByText(/ 1 cause\.$/).waitFor();
  expect(await settle.count()).toBe(0);
  await page.getByLabel("Error contains").fill("no such words");
  await page.keyboard.press("Enter");
  await page.getByText("No cause matches").waitFor();

  await dashboard.open("#/dead");
  await settle.getByRole("link", { name: TITLE }).click();
  await page.getByRole("heading", { level: 1, name: TITLE }).waitFor();
  await page.getByText(`${count} tasks of ${SETTLE}`).waitFor();
  await page.getByText(/: only there$/).waitFor();
  await page.getByText("no other task waits after it").waitFor();
  await page.getByRole("group", { name: "A sample, the newest" }).getByText("asked to fail 99 times").waitFor();
  await dashboard.table("Newest dead tasks").waitFor();
  await looksFine();
  await page.getByText("not yet", { exact: true }).waitFor();
  await button("I have looked").click();
  await page.getByText("It is told again when a further task dies of it.").waitFor();
  expect(await button("I have looked").count()).toBe(0);
  expect(await page.getByText("not yet", { exact: true }).count()).toBe(0);
  await page.getByRole("link", { name: `All ${count} as a list` }).click();
  await dashboard.table("Tasks").waitFor();
  expect(await dashboard.table("Tasks").getByRole("rowheader").count()).toBe(count);
});

test("all tasks of a cause are retried with a warning, and discarded with a reason", async () => {
  const count = await countOf(SETTLE);
  await eventually(async () => {
    const { body } = await dashboard.client.get<{ items: object[] }>("/v1/types");
    expect(body.items).toContainEqual(expect.objectContaining({ type: SETTLE, failedShare: 1 }));
  });
  await dashboard.open("#/dead");
  const settle = row("Causes of dead letters", SETTLE);
  await settle.getByRole("button", { name: `Retry ${count}…` }).click();
  await dialog().getByText("Would be retried").waitFor();
  await dialog().getByText(`${SETTLE} still fails`).waitFor();
  await dialog().getByText("100 % of the attempts of the last five minutes failed").waitFor();
  await dialog().getByLabel("Reason (goes to the audit)").fill("the test is over");
  await dialog()
    .getByRole("button", { name: `Retry ${count} tasks` })
    .click();
  await row("Operations", `Retry ${count} tasks`).filter({ hasText: "done" }).waitFor();
  await eventually(async () => expect(await countOf(SETTLE)).toBe(count));

  await dashboard.open("#/dead");
  await settle.getByRole("button", { name: "Discard…" }).click();
  await dialog().getByText("Would be taken away").waitFor();
  await dialog().getByLabel("Reason (goes to the audit)").fill("nobody wants them");
  await dialog().getByLabel("Number of tasks").fill(String(count));
  await dialog()
    .getByRole("button", { name: `Discard ${count} tasks` })
    .click();
  await row("Operations", `Discard ${count} tasks`).filter({ hasText: "done" }).waitFor();
  await eventually(async () => expect(await countOf(SETTLE)).toBe(0));
  await dashboard.open("#/dead");
  await row("Causes of dead letters", REMIND).waitFor();
  expect(await settle.count()).toBe(0);
});
