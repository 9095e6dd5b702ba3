import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import type { TaskBody } from "../support/api-client.js";
import { dashboardOfSpec, partsOf } from "../support/dashboard-page.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { FINE, lookAt } from "../support/test-browser.js";

/** A type that the node runs, see `app/recording-handler.mjs`. */
const TYPE = "settle";
/** Tasks that are not due while a test runs. */
const LATER = { type: TYPE, delay: "1h" };
const DIES = { type: TYPE, payload: { fails: 99 }, maxAttempts: 1 };
/** More than a page of members has, and so many that their number is typed before they are cancelled. */
const MANY = 120;

interface BatchBody {
  readonly id: string;
  readonly state: string;
  readonly leftovers: { readonly count: number } | null;
}

const dashboard = dashboardOfSpec([TYPE]);
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});

const { button, dialog, heading, standing, row } = partsOf(dashboard);

const newName = (): string => `test-${randomUUID()}`;

/** A batch by REST, sealed unless `fields` says otherwise. */
async function makeBatch(fields: { name?: string; [field: string]: unknown } = {}): Promise<BatchBody> {
  const input = { name: newName(), seal: true, ...fields };
  const { status, body } = await dashboard.client.post<BatchBody>("/v1/batches", input);
  expect([status, body]).toEqual([201, expect.objectContaining({ name: input.name })]);
  return body;
}

async function batchThat(id: string, has: (batch: BatchBody) => boolean): Promise<BatchBody> {
  return eventually(async () => {
    const { body } = await dashboard.client.get<BatchBody>(`/v1/batches/${id}`);
    expect({ ...body, isSo: has(body) }).toMatchObject({ isSo: true });
    return body;
  });
}

/** One that has passed its deadline while its member, of this key, waits. */
async function makeLate(name: string, key: string): Promise<BatchBody> {
  const { id } = await makeBatch({ name, tasks: [{ ...LATER, key }], deadline: "100ms" });
  return batchThat(id, ({ leftovers }) => leftovers !== null);
}

async function openBatch(id: string, name: string): Promise<void> {
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.open(`#/batches/${id}`);
  await heading(name).waitFor();
}

test("a batch is found in the list, tells how its members ended, and leads to them and to what it made", async () => {
  const name = newName();
  const tasks = [{ type: TYPE, key: `${name}/1` }, DIES];
  const { id } = await makeBatch({ name, tasks, onComplete: { type: TYPE }, onSuccess: { type: TYPE } });
  await batchThat(id, ({ state }) => state === "complete");
  await dashboard.logIn();
  await dashboard.link("Batches").first().click();
  await row("Batches", name).getByText("1 succeeded, 1 dead").waitFor();
  await dashboard.link(name).click();
  await standing().getByText("All 2 members ended: 1 succeeded, 1 dead.").waitFor();
  await page.getByRole("img", { name: "100 % of 2 members ended: 1 succeeded, 1 dead" }).waitFor();
  await page.getByText("not made: 1 ended otherwise; made as soon as all have succeeded").waitFor();

  await button(/^Dead$/).click();
  await eventually(async () => expect(await dashboard.table("Members").getByRole("row").count()).toBe(2));
  await row("Members", "asked to fail 99 times").getByText("1of 1").waitFor();
  expect(new URL(page.url()).hash).toBe(`#/batches/${id}?state=dead`);
  await button(/^Expired$/).click();
  await page.getByText("No member is expired").waitFor();

  await page.getByRole("region", { name: "At its end" }).getByRole("link", { name: /-/ }).click();
  await heading(TYPE).waitFor();
  await dashboard.open(`#/batches/${id}`);
  await dashboard.link("In the list of tasks").click();
  await page.waitForURL((url) => url.hash === `#/tasks?q=batch:${id}`);
  await eventually(async () => expect(await dashboard.table("Tasks").locator("tbody tr").count()).toBe(2));
  await dashboard.open(`#/batches/${id}`);
  await row("Members", `${name}/1`).getByRole("link").click();
  await dashboard.link(id).click();
  await heading(name).waitFor();
});

test("a batch's dead members are retried together, and no other members", async () => {
  const name = newName();
  const { id } = await makeBatch({ name, tasks: [{ type: TYPE, key: `${name}/1` }, DIES, DIES] });
  await batchThat(id, ({ state }) => state === "complete");
  await openBatch(id, name);
  await button("Retry the 2…").click();
  await dialog().getByText("Would be retried").waitFor();
  await dialog().getByRole("button", { name: "Retry 2 tasks" }).click();
  await row("Operations", "Retry 2 tasks").filter({ hasText: "done" }).waitFor();
  await row("Operations", "Retry 2 tasks").getByText(`batch:${id}`).waitFor();
});

test("a batch that passed its deadline says so and names the members that were left; a cancel asks, and takes them back", async () => {
  const name = newName();
  const key = randomUUID();
  const { id } = await makeLate(name, key);
  await dashboard.logIn();
  await dashboard.link("Batches").first().click();
  await row("Batches", name).getByText("overdue").waitFor();
  await dashboard.link(name).click();
  await standing().getByText("1 of 1 member lives; it completes when it has ended.").waitFor();
  await standing().getByText("It passed its deadline").waitFor();
  await standing().getByText("1 of 1 was left at the deadline").waitFor();
  await standing().getByRole("link", { name: key }).click();
  await page.getByText(key).first().waitFor();

  await dashboard.open(`#/batches/${id}`);
  await button("Cancel…").click();
  await dialog().getByText("1 member lives: those that have not started are taken back").waitFor();
  await dialog().getByRole("button", { name: "Back" }).click();
  expect((await dashboard.client.get<BatchBody>(`/v1/batches/${id}`)).body.state).toBe("open");
  await button("Cancel…").click();
  await dialog().getByRole("button", { name: "Cancel batch" }).click();
  await standing().getByText("It was cancelled. Of 1 member: 1 cancelled.").waitFor();
  await standing().getByText("Cancelled by").waitFor();
  await row("Members", key).getByText("cancelled").waitFor();
  expect(await button("Cancel…").count()).toBe(0);
});

test("a filter of batches stands in the address and survives a reload; the keyboard reaches the list, the filter and a row", async () => {
  const name = newName();
  await makeBatch({ name, tasks: [LATER] });
  await makeBatch({ name: `${name}-2`, tasks: [LATER], seal: false });
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await heading("Batches").waitFor();
  await row("Batches", `${name}-2`).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await eventually(async () => expect(await dashboard.table("Batches").getByRole("row").count()).toBe(3));
  await button("Open").click();
  await page.getByText("1 open.").waitFor();
  expect(new URL(page.url()).hash).toBe(`#/batches?state=open&namePrefix=${name}`);
  await page.reload();
  await page.getByText("1 open.").waitFor();
  expect(await page.getByLabel("Name begins with").inputValue()).toBe(name);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await heading(name).waitFor();

  await dashboard.open(`#/batches?state=cancelled&namePrefix=${name}`);
  await page.getByRole("heading", { name: "No batch matches this filter" }).waitFor();
  await button("Show all batches").click();
  await row("Batches", `${name}-2`).waitFor();
});

test("a batch that is filling waits to be sealed; a new batch is counted, and no row moves until it is asked for", async () => {
  const name = newName();
  const { id } = await makeBatch({ name, seal: false, tasks: [] });
  await openBatch(id, name);
  await standing().getByText("It has no member yet. It is not sealed: members can be added.").waitFor();
  await page.getByText("It has no member", { exact: true }).waitFor();
  await button("Seal").click();
  await standing().getByText("It is complete: it was sealed without a member.").waitFor();
  expect(await button("Seal").count()).toBe(0);

  await dashboard.open("#/batches");
  await row("Batches", name).waitFor();
  const newer = newName();
  await makeBatch({ name: newer, tasks: [LATER] });
  await button("1 came: show the list as it is").waitFor();
  expect(await row("Batches", newer).count()).toBe(0);
  await button("1 came: show the list as it is").click();
  await row("Batches", newer).waitFor();
});

test("a batch's shards are shown in their order, each with the state of its member", async () => {
  const name = newName();
  const { id } = await makeBatch({ name, shards: 4, tasks: [{ type: TYPE }] });
  await batchThat(id, ({ state }) => state === "complete");
  await openBatch(id, name);
  await page.getByRole("img", { name: "4 succeeded." }).waitFor();
  const cells = dashboard.table("Members").getByRole("row").locator("td:nth-child(2)");
  await eventually(async () => expect(await cells.allInnerTexts()).toEqual(["0", "1", "2", "3"]));
  await row("Members", "succeeded").first().getByRole("link").click();
  await page.getByText("0 of 4, counted from 0").waitFor();
});

test("a batch's member is called by its key, or by the first field of its payload; both lead to its task", async () => {
  const name = newName();
  const key = `order-${randomUUID()}`;
  const payload = { orderId: "4711", kind: "new" };
  const { id } = await makeBatch({
    name,
    tasks: [
      { ...LATER, key },
      { ...LATER, payload },
    ],
  });
  await openBatch(id, name);
  const cut = row("Members", key).getByTitle(key, { exact: true });
  await cut.waitFor();
  await row("Members", key).getByRole("button", { name: "Copy key" }).waitFor();
  await row("Members", "orderId: 4711").getByRole("link").first().click();
  await page.getByText('"kind": "new"').waitFor();
});

test("a batch's members are read page by page, and a cancel of many members wants their number", async () => {
  const name = newName();
  const { id } = await makeBatch({ name, tasks: Array.from({ length: MANY }, () => LATER) });
  await openBatch(id, name);
  const first = await dashboard.table("Members").getByRole("rowheader").first().innerText();
  await button("Next").click();
  await page.getByText("Page 2").waitFor();
  await eventually(async () => {
    expect(await dashboard.table("Members").getByRole("rowheader").first().innerText()).not.toBe(first);
  });
  await button("Cancel…").click();
  const cancel = dialog().getByRole("button", { name: "Cancel batch" });
  expect(await cancel.isDisabled()).toBe(true);
  await dialog().getByLabel("Number of live members").fill(String(MANY));
  await cancel.click();
  await standing().getByText(`It was cancelled. Of ${MANY} members: ${MANY} cancelled.`).waitFor();
});

test("a refused cancel of a batch is told in its question, with its code", async () => {
  const name = newName();
  const { id } = await makeBatch({ name, tasks: [LATER] });
  await openBatch(id, name);
  await button("Cancel…").click();
  await dialog().waitFor();
  const { body } = await dashboard.client.get<{ items: TaskBody[] }>(`/v1/batches/${id}/members`);
  await dashboard.client.post(`/v1/tasks/${body.items[0]!.id}/run-now`, {});
  await batchThat(id, ({ state }) => state === "complete");
  await dialog().getByRole("button", { name: "Cancel batch" }).click();
  await dialog().getByRole("alert").getByText("BATCH_STATE_CONFLICT").waitFor();
  await dialog().getByRole("button", { name: "Back" }).click();
  await standing().getByText("Its one member succeeded.").waitFor();
});

test("a user who may only read sees batches, and no button that acts; a missing batch is shown as missing", async () => {
  const name = newName();
  const { id } = await makeBatch({ name, tasks: [LATER], seal: false });
  await dashboard.logIn(await dashboard.newViewerKey());
  await page.getByText("You may read, not act").waitFor();
  await dashboard.open(`#/batches/${id}`);
  await standing().getByText("It is not sealed yet").waitFor();
  expect(
    await page
      .getByRole("main")
      .getByRole("button", { name: /^Seal|^Cancel…/ })
      .count(),
  ).toBe(0);
  await dashboard.open(`#/batches/${randomUUID()}`);
  await heading("No such batch").waitFor();
});

describe.each(["light", "dark"] as const)("in %s, nothing is hard to read or out of reach", (colorScheme) => {
  test.each(depth({ sample: [1280, 320], whole: [1280, 1000, 390, 320] }))(
    "nothing is hard to read or out of reach on the pages of batches at %d px",
    async (width) => {
      const name = `test-${"long-name-".repeat(8)}${randomUUID().slice(0, 8)}`;
      const { id } = await makeLate(name, `${"long-key-".repeat(8)}${randomUUID()}`);
      const shards = await makeBatch({ shards: 40, tasks: [DIES], deadline: "1h", retryDead: true });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await dashboard.logIn();
      await dashboard.nodes.waitFor();
      await page.setViewportSize({ width, height: 900 });
      const waits: [string, Locator][] = [
        ["#/batches", row("Batches", name)],
        ["#/batches?namePrefix=nothing", page.getByText("No batch matches this filter").first()],
        [`#/batches/${shards.id}`, page.getByRole("img", { name: /40 dead/ })],
        ["#/batches/nowhere", heading("No such batch")],
        [`#/batches/${id}`, row("Members", "scheduled")],
      ];
      for (const [fragment, there] of waits) {
        await dashboard.open(fragment);
        await there.first().waitFor();
        expect([fragment, await lookAt(page)]).toEqual([fragment, FINE]);
      }
      await button("Cancel…").click();
      await dialog().waitFor();
      expect(["the question", await lookAt(page)]).toEqual(["the question", FINE]);
    },
  );
});

test("a batch is shown as last known while Postgres is away, and nothing can be changed", async () => {
  const name = newName();
  const { id } = await makeBatch({ name, tasks: [LATER], seal: false });
  await openBatch(id, name);
  await dashboard.services.postgres.stop();
  await page.getByRole("alert").filter({ hasText: "Postgres is away" }).waitFor();
  await standing().getByText("It is not sealed yet").waitFor();
  for (const action of ["Seal", "Cancel…"]) expect(await button(action).isDisabled()).toBe(true);
});
