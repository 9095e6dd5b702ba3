import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import type { TaskBody } from "../support/api-client.js";
import { dashboardOfSpec, partsOf } from "../support/dashboard-page.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { FINE, lookAt } from "../support/test-browser.js";

/** A type that the node runs, see `app/recording-handler.mjs`. */
const TYPE = "settle";
const DIES = { type: TYPE, payload: { fails: 99 }, maxAttempts: 1 };
const MANY = depth({ sample: 150, whole: 10_000 });
const AT_ONCE = 1_000;
const WIDTHS = depth({ sample: [320], whole: [1280, 320] });

const dashboard = dashboardOfSpec([TYPE]);
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});
const { button, dialog, row } = partsOf(dashboard);
const count = (of: number): string => of.toLocaleString("en-US");

async function make(items: readonly object[]): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const { status } = await dashboard.client.post("/v1/tasks/bulk", { tasks: items.slice(from, from + AT_ONCE) });
    expect(status).toBe(200);
  }
}

async function allOf(tag: string): Promise<TaskBody[]> {
  const tasks: TaskBody[] = [];
  for (let cursor = ""; ;) {
    const path = `/v1/tasks?type=${TYPE}&tag=${tag}&limit=200${cursor}`;
    const { body } = await dashboard.client.get<{ items: TaskBody[]; nextCursor: string | null }>(path);
    tasks.push(...body.items);
    if (body.nextCursor === null) return tasks;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

async function openTasks(fragment: string): Promise<void> {
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.open(fragment);
  await dashboard.table("Tasks").waitFor();
}

const looksFine = async (): Promise<void> => {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    expect(await lookAt(page)).toEqual(FINE);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

test(`${MANY} tasks are cancelled by their filter, tried dry first, and are as they were once the cancel is undone`, async () => {
  const tag = randomUUID();
  await make(
    Array.from({ length: MANY }, (_, place) => ({ type: TYPE, delay: "2h", tags: [tag], key: `${tag}:${place}` })),
  );
  const before = await allOf(tag);
  await openTasks(`#/tasks/scheduled?q=type:${TYPE}+tag:${tag}`);
  await page.getByRole("checkbox", { name: "Select the page" }).check();
  await page.getByText("50 tasks selected").waitFor();
  await button("Select all that match").click();
  await button("Cancel…").click();
  await dialog().getByText("Would be cancelled").waitFor();
  await looksFine();
  const send = dialog().getByRole("button", { name: `Cancel ${count(MANY)} tasks` });
  expect(await send.isDisabled()).toBe(true);
  await dialog().getByLabel("Reason (goes to the audit)").fill("the wrong campaign");
  await dialog().getByLabel("Number of tasks").fill(String(MANY));
  await send.click();

  await page.waitForURL(/#\/operations$/);
  const done = row("Operations", `Cancel ${count(MANY)} tasks`);
  await done.filter({ hasText: "done" }).waitFor();
  expect(new Set((await allOf(tag)).map(({ state }) => state))).toEqual(new Set(["cancelled"]));
  await looksFine();
  await done.getByRole("button", { name: "Undo…" }).click();
  await dialog()
    .getByText(/can be put back now/)
    .waitFor();
  await looksFine();
  await dialog().getByRole("button", { name: "Undo" }).click();
  await done.filter({ hasText: `put back ${count(MANY)}` }).waitFor();
  const same = ({ version: _version, fence: _fence, ...task }: TaskBody & { fence?: number }): object => task;
  expect((await allOf(tag)).map(same)).toEqual(before.map(same));

  await done.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: `Cancel ${count(MANY)} tasks` }).waitFor();
  await dashboard.table("Changed tasks").getByRole("row").filter({ hasText: "as it was" }).first().waitFor();
  await looksFine();
});

test("some tasks of a list are chosen and retried; a discard is asked for its reason and its number", async () => {
  const tag = randomUUID();
  await make(Array.from({ length: 3 }, (_, place) => ({ ...DIES, tags: [tag], key: `${tag}:${place}` })));
  await eventually(async () => expect((await allOf(tag)).map(({ state }) => state)).toEqual(["dead", "dead", "dead"]));
  await openTasks(`#/tasks/dead?q=type:${TYPE}+tag:${tag}`);
  await page.getByRole("checkbox", { name: `Select ${tag}:1` }).check();
  await button("Retry…").click();
  await dialog().getByRole("button", { name: "Retry 1 task" }).click();
  await row("Operations", "Retry 1 task").filter({ hasText: "done" }).waitFor();
  await eventually(async () => {
    const retried = (await allOf(tag)).find(({ key }) => key === `${tag}:1`);
    expect(retried).toMatchObject({ state: "dead", attempt: 1 });
  });
  await dashboard.open(`#/tasks/dead?q=type:${TYPE}+tag:${tag}`);
  await page.getByRole("checkbox", { name: "Select the page" }).check();
  await button("Discard…").click();
  await dialog().getByText("Would be taken away").waitFor();
  const discard = dialog().getByRole("button", { name: "Discard 3 tasks" });
  await dialog().getByLabel("Number of tasks").fill("3");
  expect(await discard.isDisabled()).toBe(true);
  await dialog().getByLabel("Reason (goes to the audit)").fill("nobody wants them");
  await discard.click();
  await row("Operations", "Discard 3 tasks").filter({ hasText: "done" }).waitFor();
  expect((await allOf(tag)).map(({ state, reason }) => [state, reason])).toEqual(
    Array.from({ length: 3 }, () => ["cancelled", "DISCARDED"]),
  );
});

test("an operation at a pace is held, resumed and stopped on its panel", async () => {
  const tag = randomUUID();
  await make(Array.from({ length: 40 }, (_, place) => ({ type: TYPE, delay: "2h", tags: [tag], payload: { place } })));
  const { body } = await dashboard.client.post<{ id: string }>("/v1/operations", {
    action: "run_now",
    rate: 0.5,
    reason: "slowly",
    filter: { type: TYPE, tag },
  });
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.open("#/operations");
  const panel = page.getByRole("region", { name: /^Run now 40 tasks/ });
  await panel.getByRole("button", { name: "Hold" }).click();
  await panel.getByText("on hold").waitFor();
  await looksFine();
  await panel.getByRole("button", { name: "Resume" }).click();
  await panel.getByRole("button", { name: "Hold" }).waitFor();
  await panel.getByRole("button", { name: "Stop here" }).click();
  await dashboard.table("Operations").getByRole("row").filter({ hasText: "stopped" }).first().waitFor();
  expect((await dashboard.client.get<{ state: string }>(`/v1/operations/${body.id}`)).body.state).toBe("stopped");
});
