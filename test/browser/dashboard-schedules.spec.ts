import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { dashboardOfSpec, partsOf } from "../support/dashboard-page.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { FINE, lookAt } from "../support/test-browser.js";

/** A type that the node runs, and a schedule that its code defines. */
const TYPE = "order";
const IN_CODE = "shop.yearly";
/** More than a page of the list has. */
const MANY = 105;

const dashboard = dashboardOfSpec([TYPE], [IN_CODE]);
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});

const { button, dialog, heading, standing, row } = partsOf(dashboard);

/** A schedule by REST, at the start of each year unless `fields` says otherwise; gives its name. */
async function makeSchedule(fields: { name?: string; [field: string]: unknown } = {}): Promise<string> {
  const { name = `test.${randomUUID()}` } = fields;
  const input = { type: TYPE, payload: {}, cron: "0 0 1 1 *", ...fields, name };
  const { status, body } = await dashboard.client.post("/v1/schedules", input);
  expect([status, body]).toEqual([201, expect.objectContaining({ name })]);
  return name;
}

async function openSchedule(name: string): Promise<void> {
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.open(`#/schedules/${name}`);
  await heading(name).waitFor();
}

test("a schedule is made by the form, told in words with its next times, and found in the list by the keyboard", async () => {
  const name = `test.${randomUUID()}`;
  await dashboard.logIn();
  await dashboard.link("Schedules").first().click();
  await dashboard.link("New schedule").first().click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Type", { exact: true }).fill(TYPE);
  await page.getByLabel("Zone", { exact: true }).fill("Europe/Berlin");
  await page.getByLabel("Expression").fill("5 0 * * *");
  await page.getByText("each day at 00:05").waitFor();
  await button("Create schedule").click();

  await heading(name).waitFor();
  await page.getByText("each day at 00:05, Europe/Berlin").waitFor();
  await standing().getByText("Next at").waitFor();
  await row("Next times", "00:05").first().waitFor();
  expect(await row("Next times", "00:05").count()).toBe(10);

  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await heading("Schedules").waitFor();
  await row("Schedules", name).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(`berlin ${name.slice(5, 20)}`);
  await eventually(async () => expect(await dashboard.table("Schedules").getByRole("row").count()).toBe(2));
  await page.keyboard.press("Tab");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await heading(name).waitFor();
});

test("a schedule's definition that is refused stays in the form, with every fault at its field", async () => {
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.open("#/new-schedule");
  await page.getByLabel("Name", { exact: true }).fill("not a name");
  await page.getByLabel("Type", { exact: true }).fill(TYPE);
  await page.getByLabel("Expression").fill("0 25 * * *");
  await button("Create schedule").click();
  const alert = page.getByRole("alert");
  await alert.getByText("VALIDATION_FAILED").waitFor();
  expect((await alert.locator("li code").allInnerTexts()).toSorted()).toEqual(["cron", "name"]);
  expect(await page.getByLabel("Expression").inputValue()).toBe("0 25 * * *");
});

test("a schedule's next times say what a change of the clock and a day that is left out do to them", async () => {
  // Ten such Sundays hold the last of March and the last of October.
  await openSchedule(await makeSchedule({ cron: "30 2 * 3,10 0", timeZone: "Europe/Berlin" }));
  await row("Next times", "the clock jumps over its time: it runs right after").first().waitFor();
  await row("Next times", "its time comes twice: this is the first").first().waitFor();

  const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const name = await makeSchedule({ cron: "0 12 * * *", exclude: [inTwoDays] });
  await dashboard.open(`#/schedules/${name}`);
  await row("Next times", "the day is excluded").getByText("does not run").first().waitFor();
});

test("a schedule is paused with a reason until a time, the page says so everywhere, and it is resumed", async () => {
  const name = await makeSchedule();
  await openSchedule(name);
  await button("Pause…").click();
  await dialog().getByRole("button", { name: "Pause schedule" }).click();
  await dialog().getByRole("alert").getByText("Say why").waitFor();
  await dialog().getByLabel("Reason").fill("stock count");
  await dialog().getByLabel("Until").fill("2100-01-01T08:00");
  await dialog().getByRole("button", { name: "Pause schedule" }).click();
  await standing().getByText("“stock count”").waitFor();
  await standing().getByText("It resumes at 2100-01-01 08:00").waitFor();
  await page.getByText("While it is paused none of these runs.").waitFor();
  expect(await button("Pause…").count()).toBe(0);

  await dashboard.open("#/schedules");
  await button("Paused").click();
  await page.getByText(/paused schedules?, /).waitFor();
  await row("Schedules", name).getByText("stock count").waitFor();
  await dashboard.link(name).click();
  await button("Resume").click();
  await standing().getByText("Next at").waitFor();
});

test("a schedule is triggered with another payload; the run is listed and leads to its task", async () => {
  const name = await makeSchedule({ maxAttempts: 2 });
  await openSchedule(name);
  const own = page.getByRole("region", { name: "Its tasks" });
  await own.getByText("5, as its type says").waitFor();
  // A page that is read every few seconds is as it should be.
  expect(await button("Every 5 s").getAttribute("class")).toBe("live");
  await own.getByText("at most 2", { exact: true }).waitFor();
  await button("Trigger now…").click();
  await dialog().getByLabel("Payload (JSON)").fill('{"orderId":');
  await dialog().getByRole("button", { name: "Trigger now" }).click();
  await dialog().getByRole("alert").getByText("payload").waitFor();
  await dialog().getByLabel("Payload (JSON)").fill('{"orderId":"4711"}');
  await dialog().getByRole("button", { name: "Trigger now" }).click();
  const run = row("Runs", "triggered by hand").filter({ hasText: "succeeded" });
  await run.waitFor();
  await page.getByRole("img", { name: /1 succeeded/ }).waitFor();
  await run.getByRole("link").click();
  await page.getByLabel("Payload").getByText('"orderId": "4711"').waitFor();
  await page.getByRole("heading", { level: 1 }).getByText(`${name}, `).waitFor();
  await dashboard.open("#/tasks?tab=finished");
  await row("Tasks", `${name}, `)
    .getByTitle(/^schedule:/)
    .first()
    .waitFor();
});

test("a backfill tells what it would do before it does it; its runs are listed, and asked again it has none", async () => {
  const name = await makeSchedule({ cron: "0 0 * * *" });
  await openSchedule(name);
  await button("Backfill…").click();
  const make = dialog().getByRole("button", { name: /^Make/ });
  await dialog().getByLabel("From").fill("2026-01-05T12:00");
  await dialog().getByLabel("To (not included)").fill("2026-01-05T11:00");
  await dialog().getByRole("alert").getByText("must be later than from").first().waitFor();
  expect(await make.isDisabled()).toBe(true);
  await dialog().getByLabel("To (not included)").fill("2026-01-07T12:00");
  await dialog().getByText("2 runs would be made").waitFor();
  expect(await dialog().getByText("is from before the schedule was made").count()).toBe(2);
  expect(await lookAt(page)).toEqual(FINE);
  await dialog().getByRole("button", { name: "Make 2 runs" }).click();
  await eventually(async () => {
    const runs = row("Runs", "backfilled").filter({ hasText: "succeeded" });
    expect(await runs.count()).toBe(2);
  });
  await button("Backfill…").click();
  await dialog().getByLabel("From").fill("2026-01-05T12:00");
  await dialog().getByLabel("To (not included)").fill("2026-01-07T12:00");
  await dialog().getByText("Nothing would run.").waitFor();
  expect(await dialog().getByText("has run, or runs: it is left out").count()).toBe(2);
});

test("a backfill that goes on says how far it has come, and is ended on the page of its schedule", async () => {
  const name = await makeSchedule({ type: "nobody.runs.it", cron: "0 0 * * *" });
  const range = { from: "2026-01-05T00:00:00Z", to: "2026-01-09T00:00:00Z" };
  const { status } = await dashboard.client.post(`/v1/schedules/${name}/backfill`, range);
  expect(status).toBe(202);
  await openSchedule(name);
  await standing().getByText("A backfill goes on: 3 of its 4 runs wait.").waitFor();
  await button("End the backfill").click();
  await page.getByText("The backfill is ended.").waitFor();
  await button("Backfill…").waitFor();
  expect(await standing().getByText("A backfill goes on").count()).toBe(0);
});

test("an edit of a schedule that somebody else has changed meanwhile is refused, and what was written stays", async () => {
  const name = await makeSchedule({ cron: null, every: "1h", tags: ["vip"] });
  await openSchedule(name);
  await dashboard.link("Edit").click();
  await page.getByLabel("Every").fill("30m");
  const other = { type: TYPE, payload: {}, every: "2h", tags: ["vip", "eu"] };
  const { status } = await dashboard.client.send("PUT", `/v1/schedules/${name}`, { body: JSON.stringify(other) });
  expect(status).toBe(200);
  await button("Save schedule").click();
  await page.getByRole("alert").getByText("VERSION_MISMATCH").waitFor();
  const changed = page.getByRole("listitem").filter({ hasText: "Every: was 1h, is 2h, yours is 30m" });
  await changed.waitFor();
  expect(await button("Save schedule").isDisabled()).toBe(true);
  expect(await page.getByLabel("Every").inputValue()).toBe("30m");
  await button("Keep what I wrote").click();
  await button("Save schedule").click();
  await heading(name).waitFor();
  await page.getByText("every 30 min").first().waitFor();
});

test("a schedule that code defines is neither edited nor deleted on the page, and the page says where it is", async () => {
  await eventually(async () => {
    expect((await dashboard.client.get(`/v1/schedules/${IN_CODE}`)).status).toBe(200);
  });
  await openSchedule(IN_CODE);
  await page.getByText("Defined in the code of").waitFor();
  expect(await dashboard.link("Edit").count()).toBe(0);
  await page.getByText(/It is changed and deleted in the code of /).waitFor();
  expect(await button("Delete…").count()).toBe(0);
  await dashboard.open("#/schedules");
  await row("Schedules", IN_CODE).getByText("code of").waitFor();
});

test("a schedule that is deleted is in the list no more, and its address says so", async () => {
  const name = await makeSchedule();
  await openSchedule(name);
  await button("Delete…").click();
  await dialog().getByRole("button", { name: "Delete schedule" }).click();
  await heading("Schedules").waitFor();
  await dashboard.table("Schedules").waitFor();
  expect(await dashboard.link(name).count()).toBe(0);
  await dashboard.open(`#/schedules/${name}`);
  await heading("No such schedule").waitFor();
});

test("a user who may only read sees schedules and runs, and no button that acts", async () => {
  const name = await makeSchedule();
  await dashboard.logIn(await dashboard.newViewerKey());
  await page.getByText("You may read, not act").waitFor();
  await dashboard.open("#/schedules");
  await dashboard.link(name).click();
  await standing().getByText("Next at").waitFor();
  const acting = page.getByRole("main").getByRole("button", { name: /Pause|Resume|Trigger|Delete/ });
  expect([await acting.count(), await dashboard.link("Edit").count()]).toEqual([0, 0]);
  for (const [fragment, what] of [
    [`#/schedules/${name}/edit`, "change schedules"],
    ["#/new-schedule", "make schedules"],
  ]) {
    await dashboard.open(fragment!);
    await page.getByText(`You may not ${what}`).waitFor();
  }
});

describe.each(["light", "dark"] as const)("in %s, nothing is hard to read or out of reach", (colorScheme) => {
  test.each(depth({ sample: [1280, 320], whole: [1280, 1000, 390, 320] }))(
    "nothing is hard to read or out of reach on the pages of schedules at %d px",
    async (width) => {
      const name = `test.${"long-name-".repeat(8)}${randomUUID().slice(0, 8)}`;
      await makeSchedule({ name, tags: ["vip"], jitter: "2m", cron: "0,30 9-12,14 * * 1" });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await dashboard.logIn();
      await dashboard.nodes.waitFor();
      await page.setViewportSize({ width, height: 900 });
      const waits: [string, Locator][] = [
        ["#/schedules", row("Schedules", name)],
        [`#/schedules/${name}`, dashboard.table("Next times")],
        [`#/schedules/${name}/edit`, page.getByLabel("Expression")],
        ["#/new-schedule", page.getByLabel("Expression")],
        ["#/schedules/nowhere", heading("No such schedule")],
      ];
      for (const [fragment, there] of waits) {
        await dashboard.open(fragment);
        await there.first().waitFor();
        expect([fragment, await lookAt(page)]).toEqual([fragment, FINE]);
      }
      await dashboard.open(`#/schedules/${name}`);
      for (const action of ["Trigger now…", "Pause…"]) {
        await button(action).click();
        await dialog().waitFor();
        expect([action, await lookAt(page)]).toEqual([action, FINE]);
        await dialog().getByRole("button", { name: "Back" }).click();
      }
      await button("Pause…").click();
      await dialog()
        .getByLabel("Reason")
        .fill(`because-${"of-this-".repeat(20)}`);
      await dialog().getByRole("button", { name: "Pause schedule" }).click();
      await standing().getByText("of-this-of-this").waitFor();
      expect(["paused", await lookAt(page)]).toEqual(["paused", FINE]);
    },
  );
});

test("a list of schedules beyond a page is read on and says how far; by state, the node finds the last schedule", async () => {
  for (let made = 0; made < MANY; made += 1) await makeSchedule();
  const last = await makeSchedule({ name: "zz.last" });
  expect((await dashboard.client.post(`/v1/schedules/${last}/pause`, {})).status).toBe(200);
  await dashboard.logIn();
  await dashboard.link("Schedules").first().click();
  await page.getByText("The first 100 by name.").waitFor();
  await page.getByRole("search").getByLabel("Name, type, zone").fill(last);
  await page.getByText("None of these schedules matches").waitFor();
  await button("Paused").click();
  await dashboard.link(last).waitFor();
  await button("Finished").click();
  await page.getByText("No schedule is finished.").first().waitFor();
  await button(/^All$/).click();
  await page.getByText("None of these schedules matches").waitFor();
  await button("Show more").click();
  await dashboard.link(last).waitFor();
});

test("a schedule is shown as last known while Postgres is away, and nothing can be changed", async () => {
  await openSchedule(await makeSchedule());
  await dashboard.services.postgres.stop();
  await page.getByRole("alert").filter({ hasText: "Postgres is away" }).waitFor();
  await standing().getByText("Next at").waitFor();
  for (const name of ["Pause…", "Trigger now…", "Delete…"]) expect(await button(name).isDisabled()).toBe(true);
  expect(await dashboard.link("Edit").count()).toBe(0);
});
