import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskHandler, DelayTaskModule, defineTask } from "@tickwheel/nestjs";
import type { Locator, Page } from "playwright-core";
import * as z from "zod";
import type { TaskBody } from "../support/api-client.js";
import { hostApi } from "../support/app/hosted-api.js";
import { dashboardOfSpec } from "../support/dashboard-page.js";

const TYPE = "browser.report";
const schema = z.object({ orderId: z.string().describe("Of the shop"), kind: z.enum(["new", "old"]) });
const Announced = defineTask("browser.announced", { schema, maxAttempts: 7, priority: 2 });

@Injectable()
class AnnouncedHandler {
  @DelayTaskHandler(Announced)
  run(): void {}
}

const dashboard = dashboardOfSpec([TYPE]);
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});

function journalled(text: string): Locator {
  return dashboard.journal.getByRole("listitem").filter({ hasText: text }).first();
}

async function created(input: object): Promise<TaskBody> {
  return (await dashboard.client.post<TaskBody>("/v1/tasks", { type: TYPE, ...input })).body;
}

test("a task is paused, is in the list of paused ones with what remains, and is resumed", async () => {
  const key = randomUUID();
  const { id } = await created({ key, delay: "90m" });
  await dashboard.logIn();
  await dashboard.open(`#/tasks/${id}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused: its countdown stands still until it is resumed.").waitFor();
  const standing = page.getByRole("status").filter({ hasText: "paused" });
  await standing.getByText(/1 h \d+ min of its countdown remain/).waitFor();
  await journalled("Paused").waitFor();
  expect(await page.getByRole("button", { name: "Run now" }).count()).toBe(0);

  await dashboard.open(`#/tasks/paused?q=key:${key}`);
  const row = dashboard.table("Tasks").getByRole("row").filter({ hasText: id });
  await row.getByText(/1 h \d+ min left/).waitFor();

  await dashboard.open(`#/tasks/${id}`);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Resumed: its countdown goes on.").waitFor();
  await journalled("Resumed").waitFor();
  await page.getByText("Paused before").waitFor();
  await page.getByRole("button", { name: "Run now" }).waitFor();
});

test("a task shows how far its handler has come, and its checkpoint", async () => {
  const report = { value: 0.4, note: "2,000 of 5,000", checkpoint: { nextRow: 2_000 } };
  const { id } = await created({ payload: { report } });
  await dashboard.logIn();
  await dashboard.open(`#/tasks/${id}`);
  await page.getByRole("img", { name: "The handler has done 40 %" }).waitFor();
  await page.getByText("2,000 of 5,000 · told").waitFor();
  await page.getByLabel("Checkpoint").getByText('"nextRow": 2000').waitFor();
});

test("the form of a task shows the fields that a type announces, inserts an example, and tells faults by their path", async () => {
  const { databaseUrl: url } = dashboard.services;
  const hosted = await hostApi(
    {
      imports: [
        DelayTaskApiModule.forRoot({ dashboard: true, notice: false }),
        DelayTaskModule.forRoot({ url, redis: null, heartbeat: "loop" }),
      ],
      providers: [AnnouncedHandler],
    },
    dashboard.apiKey,
  );
  try {
    await page.goto(`${await hosted.app.getUrl()}/dashboard/`);
    await dashboard.logIn();
    await dashboard.link("New task").first().click();
    const offered = page.locator(`datalist option[value="${Announced.type}"]`);
    await offered.waitFor({ state: "attached" });
    await dashboard.typeField.fill("browser.anounced");
    await page.getByText(/No task of this type is known/).waitFor();
    await dashboard.typeField.fill(Announced.type);
    const field = dashboard.table(`Fields of ${Announced.type}`).getByRole("row").filter({ hasText: "orderId" });
    await field.getByText("Of the shop").waitFor();

    expect(await page.getByLabel("Attempts", { exact: true }).getAttribute("placeholder")).toBe("7");
    const told = page.getByRole("note", { name: "What it will do" });
    await told.getByText(/It runs in 1 min, at .* At most 7 attempts, priority 2\.$/).waitFor();
    await page.getByLabel("Key", { exact: true }).fill("announced-1");
    await told.getByText(/If a live task has the key announced-1, nothing is created/).waitFor();

    const payload = page.getByLabel("Payload (JSON)");
    await payload.fill('{"orderId":7,"kind":"new"}');
    const create = page.getByRole("button", { name: "Create task" });
    await create.click();
    await page.getByRole("alert").getByText("payload.orderId", { exact: true }).waitFor();
    expect(await payload.getAttribute("aria-invalid")).toBe("true");

    await page.getByRole("button", { name: "Insert an example" }).click();
    expect(JSON.parse(await payload.inputValue())).toEqual({ orderId: "text", kind: "new" });
    await create.click();
    const id = await page.getByRole("heading", { name: "Created:" }).locator("..").getByRole("link").innerText();
    const { body } = await dashboard.client.get<TaskBody>(`/v1/tasks/${id}`);
    expect(body).toMatchObject({ maxAttempts: 7, priority: 2 });
  } finally {
    await hosted.app.close();
  }
});
