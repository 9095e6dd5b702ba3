import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import type { TaskBody } from "../support/api-client.js";
import { dashboardOfSpec, TEST_TYPE } from "../support/dashboard-page.js";
import { eventually } from "../support/eventually.js";
import { FINE, lookAt } from "../support/test-browser.js";

/** A type that the node runs, see `app/recording-handler.mjs`. */
const TYPE = "settle";

const dashboard = dashboardOfSpec([TYPE]);
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});

async function created(input: object): Promise<TaskBody> {
  const { status, body } = await dashboard.client.post<TaskBody>("/v1/tasks", { type: TYPE, ...input });
  expect([status, body]).toEqual([201, expect.objectContaining({ type: body.type })]);
  return body;
}

/** Tasks of one tag that are not due while a test runs, the soonest first. */
async function makeTagged(tag: string, keys: readonly string[]): Promise<void> {
  for (const [place, key] of keys.entries()) await created({ key, tags: [tag], delay: `${place + 1}h` });
}

const address = (): string => new URL(page.url()).hash;
const chip = (text: string): Locator => page.locator(".chip").filter({ hasText: text });
const tab = (name: string): Locator =>
  page.getByRole("navigation", { name: "Kinds of tasks" }).getByRole("link", { name });
const keys = (): Promise<string[]> => dashboard.table("Tasks").getByRole("rowheader").allTextContents();
const showsKeys = (expected: readonly string[]) => eventually(async () => expect(await keys()).toEqual(expected));

async function openTasks(fragment: string): Promise<void> {
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.open(fragment);
  await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
}

test("a tab without tasks says so; the page opens with scheduled tasks where none is overdue", async () => {
  await openTasks("#/tasks");
  await page.waitForURL(/#\/tasks\/scheduled$/);
  await page.getByRole("heading", { name: "Nothing is scheduled" }).waitFor();
  await tab("Overdue").click();
  await page.getByRole("heading", { name: "Nothing is overdue" }).waitFor();
  expect(address()).toBe("#/tasks/overdue");
});

test("the filter line, the chips and the address are one filter", async () => {
  const tag = randomUUID();
  const first = randomUUID();
  const second = randomUUID();
  await makeTagged(tag, [first, second]);
  await openTasks("#/tasks/scheduled");
  await dashboard.filter.fill(`tag:${tag} due:<90m type:${TYPE}`);
  await page.keyboard.press("Enter");
  await showsKeys([first]);
  expect(address()).toBe(`#/tasks/scheduled?q=type:${TYPE}+tag:${tag}+due:%3C90m`);
  expect(await dashboard.filter.inputValue()).toBe(`type:${TYPE} tag:${tag} due:<90m`);
  await chip("within 1 h 30 min or overdue").getByRole("button", { name: "Remove due" }).click();
  await showsKeys([first, second]);
  expect(address()).toBe(`#/tasks/scheduled?q=type:${TYPE}+tag:${tag}`);
  expect(await dashboard.filter.inputValue()).toBe(`type:${TYPE} tag:${tag}`);

  await page.getByRole("button", { name: "Key", exact: true }).click();
  await page.keyboard.type(`"${second}"`);
  await page.keyboard.press("Enter");
  await showsKeys([second]);
  await chip(second).waitFor();
  await page.goBack();
  await showsKeys([first, second]);
  expect(await chip("key").count()).toBe(0);
});

test("an unknown word of a filter is marked with what may be meant, and the list stays until the word is right", async () => {
  const tag = randomUUID();
  const key = randomUUID();
  await makeTagged(tag, [key]);
  await openTasks(`#/tasks/scheduled?q=tag:${tag}`);
  await showsKeys([key]);
  await dashboard.filter.fill(`tag:${tag} kye:none`);
  expect(await page.locator(".marks i").count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByText("kye:none is not a field of a filter.").waitFor();
  expect(await page.locator(".marks i").count()).toBe(1);
  expect([address(), await dashboard.filter.getAttribute("aria-invalid")]).toEqual([
    `#/tasks/scheduled?q=tag:${tag}`,
    "true",
  ]);
  expect(await lookAt(page)).toEqual(FINE);
  await page.getByRole("button", { name: /^Did you mean/ }).click();
  await page.getByText("No task matches this filter").waitFor();
  expect(await dashboard.filter.inputValue()).toBe(`key:none tag:${tag}`);
  await page.getByRole("link", { name: "Drop the filter" }).click();
  await page.waitForURL(/#\/tasks\/scheduled$/);
});

test("lists and tasks call a node by its name, with the node's label beside it", async () => {
  const { id } = await created({ key: randomUUID() });
  await openTasks(`#/tasks/finished?q=type:${TYPE}`);
  const cell = dashboard.table("Tasks").getByRole("row").filter({ hasText: id }).getByText(hostname(), { exact: true });
  await cell.waitFor();
  expect(await cell.getAttribute("title")).toMatch(/:\d+$/);
  await dashboard.open(`#/tasks/${id}`);
  await page.getByRole("region", { name: "Facts" }).getByText(hostname()).waitFor();
  await dashboard.journal.getByText(hostname()).first().waitFor();
});

test("a filter's address opens the same list in another page", async () => {
  const tag = `a & b ${randomUUID()}`;
  const first = randomUUID();
  const second = randomUUID();
  await makeTagged(tag, [first, second]);
  await openTasks("#/tasks/scheduled");
  await dashboard.filter.fill(`tag:"${tag}" created:<1h`);
  await page.keyboard.press("Enter");
  await showsKeys([first, second]);
  const shared = address();
  await dashboard.newContext();
  ({ page } = dashboard);
  await openTasks(shared);
  await showsKeys([first, second]);
  expect([address(), await dashboard.filter.inputValue()]).toEqual([shared, `tag:"${tag}" created:<1h`]);
});

describe("the line", () => {
  const enter = async (line: string): Promise<void> => {
    await dashboard.filter.fill(line);
    await page.keyboard.press("Enter");
  };

  test("the filter line of tasks takes beginnings, lists, and what must not hold", async () => {
    const tag = randomUUID();
    const send = randomUUID();
    const fetch = randomUUID();
    const mailer = randomUUID();
    await created({ type: "mail.send", key: send, tags: [tag], delay: "1h" });
    await created({ type: "mail.fetch", key: fetch, tags: [tag, "vip"], delay: "2h" });
    await created({ type: "mailer", key: mailer, tags: [tag], delay: "3h" });
    await openTasks(`#/tasks/scheduled?q=tag:${tag}`);
    await showsKeys([send, fetch, mailer]);
    const told: [string, string[]][] = [
      [`tag:${tag} type:mail.*`, [send, fetch]],
      [`tag:${tag} type:mail.send,mailer`, [send, mailer]],
      [`tag:${tag} -type:mail.*`, [mailer]],
      [`tag:${tag} type:mail.* -tag:vip`, [send]],
      [`tag:${tag},vip`, [fetch]],
      [`type:mail.fetch key:${fetch.slice(0, 30)}*`, [fetch]],
      [`tag:${tag} priority:5 attempt:0 due:2h30m..`, [mailer]],
    ];
    for (const [line, expected] of told) {
      await enter(line);
      await eventually(async () => expect([line, await keys()]).toEqual([line, expected]));
    }
    await enter(`type:mail.* tag:${tag} -tag:vip`);
    await chip("not tag vip").getByRole("button", { name: "Remove not tag" }).click();
    await showsKeys([send, fetch]);
    expect(address()).toBe(`#/tasks/scheduled?q=type:mail.*+tag:${tag}`);
    expect(await lookAt(page)).toEqual(FINE);
  });

  test("the filter line takes days by the page's zone, and sends instants, which stay whatever the zone is then", async () => {
    const tag = randomUUID();
    const key = randomUUID();
    await makeTagged(tag, [key]);
    await dashboard.newContext({ timezoneId: "Asia/Kathmandu" });
    ({ page } = dashboard);
    await openTasks(`#/tasks/scheduled?q=tag:${tag}`);
    await enter(`tag:${tag} created:2026-01-01..2026-01-02`);
    await page.getByText("No task matches this filter").waitFor();
    const day = "created:2025-12-31T18:15Z..2026-01-01T18:15Z";
    expect(await dashboard.filter.inputValue()).toBe(`tag:${tag} ${day}`);
    expect(address()).toBe(`#/tasks/scheduled?q=tag:${tag}+${day}`);
    await chip("from 2026-01-01 00:00 to 2026-01-02 00:00").waitFor();
    await page.getByRole("heading", { level: 1 }).focus();
    await page.keyboard.press("z");
    await chip("from 2025-12-31 18:15 to 2026-01-01 18:15").waitFor();
    expect(address()).toBe(`#/tasks/scheduled?q=tag:${tag}+${day}`);
    await enter(`tag:${tag} created:2026-01-01..`);
    await showsKeys([key]);
    expect(address()).toBe(`#/tasks/scheduled?q=tag:${tag}+created:%3E2026-01-01T00:00Z`);
    await enter(`tag:${tag} created:2026-01-02..2026-01-01`);
    await page.getByText("must be after createdFrom").waitFor();
    await showsKeys([key]);
  });

  test("the filter line leads to the tab that shows the states which it says, also from a word that was not known", async () => {
    const tag = randomUUID();
    await openTasks(`#/tasks/scheduled?q=tag:${tag}`);
    await enter(`state:ded tag:${tag}`);
    await page.getByText("state:ded must be one of scheduled, paused").waitFor();
    expect(await lookAt(page)).toEqual(FINE);
    await page.getByRole("button", { name: /^Did you mean\s+state:dead/ }).click();
    await page.waitForURL((url) => url.hash === `#/tasks/dead?q=state:dead+tag:${tag}`);
    await enter(`state:ended,running tag:${tag}`);
    await page.waitForURL((url) => url.hash === `#/tasks?q=state:ended,running+tag:${tag}`);
    await tab("Paused").click();
    await page.waitForURL((url) => url.hash === `#/tasks/paused?q=tag:${tag}`);
  });

  test("a filter line is taken from an address as if it were entered; one that cannot be read says so", async () => {
    const tag = randomUUID();
    const key = randomUUID();
    await makeTagged(tag, [key]);
    await openTasks(`#/tasks/scheduled?q=created:2026-01-01T00:00:00Z..+tag:${tag}`);
    await showsKeys([key]);
    expect(address()).toBe(`#/tasks/scheduled?q=tag:${tag}+created:%3E2026-01-01T00:00Z`);
    await dashboard.open(`#/tasks/scheduled?q=tag:${tag}+tpye:${TYPE}`);
    await page.getByRole("heading", { name: "This filter cannot be read" }).waitFor();
    expect(await lookAt(page)).toEqual(FINE);
    await page.getByRole("button", { name: /^Did you mean\s+type:/ }).click();
    await showsKeys([key]);
  });

  test("the filter line is told field by field, and takes the word that is chosen", async () => {
    await openTasks("#/tasks/scheduled");
    await page.getByText("All fields").click();
    await page.getByText("Tasks that ended for one of these reasons.").waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await lookAt(page)]).toEqual([width, FINE]);
    }
    await page.getByRole("button", { name: "reason", exact: true }).click();
    await page.keyboard.type("REQUESTED");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.hash === "#/tasks/scheduled?q=reason:REQUESTED");
  });
});

describe("by the keyboard alone", () => {
  const focused = () => page.evaluate("document.activeElement?.textContent?.trim()") as Promise<string>;

  test("the filter is written, and rows are walked and opened, by the keyboard alone", async () => {
    const tag = randomUUID();
    const first = randomUUID();
    const second = randomUUID();
    await makeTagged(tag, [first, second]);
    await openTasks("#/tasks/scheduled");
    await page.keyboard.press("/");
    await page.keyboard.type(`tag:${tag}`);
    await page.keyboard.press("Enter");
    await showsKeys([first, second]);
    await page.getByRole("heading", { level: 1 }).focus();
    const walked: string[] = [];
    for (const key of ["j", "j", "k", "j"]) {
      await page.keyboard.press(key);
      walked.push(await focused());
    }
    expect(walked).toEqual([first, second, first, second]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: TYPE }).waitFor();
    await page.getByText(second).first().waitFor();
  });

  test("rows of tasks stay where they are: what came is counted, what left is muted, and n shows the list as it is", async () => {
    const tag = randomUUID();
    const first = randomUUID();
    const second = randomUUID();
    const soonest = randomUUID();
    const { id } = await created({ key: first, tags: [tag], delay: "1h" });
    await created({ key: second, tags: [tag], delay: "2h" });
    await openTasks(`#/tasks/scheduled?q=tag:${tag}`);
    await showsKeys([first, second]);
    await created({ key: soonest, tags: [tag], delay: "30m" });
    expect((await dashboard.client.post(`/v1/tasks/${id}/pause`, {})).status).toBe(200);
    await page.getByRole("button", { name: "1 newer, 1 has left: show them" }).waitFor();
    expect(await keys()).toEqual([first, second]);
    expect(await page.locator("tr.is-past").innerText()).toContain(first);
    expect(await lookAt(page)).toEqual(FINE);
    await page.getByRole("heading", { level: 1 }).focus();
    await page.keyboard.press("n");
    await showsKeys([soonest, second]);
    await tab("Paused").click();
    await showsKeys([first]);
    await page
      .getByRole("row")
      .filter({ hasText: first })
      .getByText(/(min|h|s) left/)
      .waitFor();
  });
});

test("a task is made like another, but for its key; the numbers of its payload stay digit for digit", async () => {
  const payload = '{"id":12345678901234567890,"tax":1.10}';
  const field = (name: string): Locator => page.getByLabel(name, { exact: true });
  const create = page.getByRole("button", { name: "Create task" });
  const given = { Key: randomUUID(), Delay: "1h", Priority: "2", Attempts: "9", Tags: "vip, shop:7" };
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.open("#/new");
  await dashboard.typeField.fill(TYPE);
  await field("Payload (JSON)").fill(payload);
  for (const [name, value] of Object.entries(given)) await field(name).fill(value);
  await create.click();
  const id = await page.getByRole("heading", { name: "Created:" }).locator("..").getByRole("link").innerText();

  await dashboard.open(`#/new?from=${id}`);
  await page.getByText("Like the task").waitFor();
  const names = ["Key", "Priority", "Attempts", "Tags"];
  expect(await Promise.all(names.map((name) => field(name).inputValue()))).toEqual(["", "2", "9", "vip, shop:7"]);
  expect(await dashboard.typeField.inputValue()).toBe(TYPE);
  expect((await field("Payload (JSON)").inputValue()).replaceAll(/\s/g, "")).toBe(payload);
  await create.click();
  await page.getByRole("heading", { name: "Created:" }).waitFor();
});

/** Last: from here on something is overdue. */
test("each tab of tasks tells what matters there, with its count, on a screen and on a phone", async () => {
  const marks = { overdue: randomUUID(), dead: randomUUID(), failing: randomUUID(), finished: randomUUID() };
  await created({ type: TEST_TYPE, key: marks.overdue });
  await created({ key: marks.dead, payload: { fails: 99 }, maxAttempts: 1 });
  await created({
    key: marks.failing,
    payload: { fails: 99 },
    maxAttempts: 9,
    backoff: { kind: "fixed", delay: "1h" },
  });
  await created({ key: marks.finished });
  // Counts are up to ten seconds old.
  await eventually(async () => {
    const { body } = await dashboard.client.get("/v1/tasks/counts");
    expect(body).toMatchObject({ overdue: { count: 1 }, dead: { count: 1 }, failing: { count: 1 } });
  });
  await openTasks("#/tasks");
  await page.waitForURL(/#\/tasks\/overdue$/);
  await page.getByText("1 is overdue: due, and not started.").waitFor();
  const told: [string, string, string | RegExp][] = [
    ["Overdue", marks.overdue, "no live node runs it"],
    ["Dead", marks.dead, "asked to fail 99 times"],
    ["Failing", marks.failing, "asked to fail 99 times"],
    ["Finished", marks.finished, "succeeded"],
  ];
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const [name, key, text] of told) {
      await tab(name).click();
      await dashboard.table("Tasks").getByRole("row").filter({ hasText: key }).getByText(text).first().waitFor();
      expect([name, width, await lookAt(page)]).toEqual([name, width, FINE]);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await tab("Overdue 1").waitFor();
  await page.getByRole("link", { name: /^Tasks\W+1 overdue$/ }).waitFor();
});
