import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { guideFences } from "../support/app/pasted-guide.js";
import { dashboardOfSpec } from "../support/dashboard-page.js";

const dashboard = dashboardOfSpec();
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});

test("the overview shows the node, its leader and its mode", async () => {
  await dashboard.logIn();
  const node = dashboard.nodes.getByRole("listitem").filter({ hasText: "live" });
  await node.getByText("leader").waitFor();
  expect(await node.count()).toBe(1);
  await page.getByText("coordinated through Postgres").waitFor();
});

test("a task is created, found in the list, opened with its journal, and cancelled", async () => {
  const key = randomUUID();
  await dashboard.logIn();
  const id = await dashboard.createTask(key);

  await dashboard.link("Tasks").click();
  await page.waitForURL(/#\/tasks\/scheduled$/);
  await dashboard.filter.fill(`key:${key}`);
  await page.keyboard.press("Enter");
  await dashboard.table("Tasks").getByRole("link", { name: id }).click();

  await page.getByLabel("Payload").getByText('"orderId": "4711"').waitFor();
  await dashboard.journal.getByText("Created").waitFor();

  await page.getByRole("button", { name: "Cancel task" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel task" }).click();
  await page.getByText("Cancelled. The task will not run.").waitFor();
  await dashboard.journal.getByText("Cancelled").waitFor();
  await page.getByRole("button", { name: "Retry" }).waitFor();
  expect(await page.getByRole("button", { name: "Cancel task" }).count()).toBe(0);
});

test("bad input of a task is refused with every fault by its path", async () => {
  await dashboard.logIn();
  await dashboard.link("New task").first().click();
  await dashboard.typeField.fill("not a type");
  await page.getByLabel("Delay", { exact: true }).fill("soon");
  await page.getByRole("button", { name: "Create task" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText("VALIDATION_FAILED").waitFor();
  const paths = await alert.locator("li code").allInnerTexts();
  expect(paths.toSorted()).toEqual(["delay", "type"]);
});

test("two merges become one task, and only merges are asked for reducers", async () => {
  await dashboard.logIn();
  await dashboard.createTask();
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
  await page.getByRole("heading", { name: "Created:" }).waitFor();
  await page.getByLabel("Payload (JSON)").fill('{"bytes":0.2}');
  await create.click();
  await page.getByRole("status").filter({ hasText: "Merged into the live task" }).getByRole("link").click();
  await page.getByLabel("Payload").getByText('"bytes": 0.3').waitFor();
});

test("a task's tags lead to the list of those that have them", async () => {
  await dashboard.logIn();
  await dashboard.createTask();
  const tag = `shop:7 & ${randomUUID()}`;
  await page.getByLabel("Tags", { exact: true }).fill(`vip, ${tag},`);
  await page.getByLabel("Key", { exact: true }).fill(randomUUID());
  await page.getByRole("button", { name: "Create task" }).click();
  await page.getByRole("status").filter({ hasText: "Created:" }).getByRole("link").click();
  await page.getByRole("link", { name: `Tasks tagged ${tag}` }).click();

  const rows = dashboard.table("Tasks").getByRole("row");
  await rows.getByRole("link", { name: `Tasks tagged ${tag}` }).waitFor();
  expect(await rows.count()).toBe(2);
  expect(await dashboard.filter.inputValue()).toBe(`tag:"${tag}"`);
  await rows.getByRole("link", { name: "Tasks tagged vip" }).click();
  await page.waitForURL(/q=tag:vip/);
  await rows.getByRole("link", { name: "Tasks tagged vip" }).first().waitFor();
});

test("an application's own page logs in and reads a stream by the lines of the guide", async () => {
  const [logIn, stream] = guideFences("docs/guides/sessions-and-streams.md").map(({ text }) => text);
  await page.goto(new URL("/v1", dashboard.origin).href);
  // What they take for given: the key, and what is shown.
  const script = `(async () => {
    history.replaceState(null, "", "/");
    const key = ${JSON.stringify(dashboard.apiKey)};
    ${logIn}
    const shown = await new Promise((show) => {
      ${stream}
    });
    return { role, namespace, started: typeof shown.lastMinute.started };
  })()`;
  expect(await page.evaluate(script)).toEqual({ role: "admin", namespace: "default", started: "number" });
  const { body } = await dashboard.client.get<{ items: object[] }>("/v1/tasks?type=report");
  expect(body.items).toHaveLength(1);
  dashboard.faults = [];
});
