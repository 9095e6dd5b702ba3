import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { dashboardOfSpec, TEST_TYPE } from "../support/dashboard-page.js";
import { eventually } from "../support/eventually.js";

const dashboard = dashboardOfSpec();
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});

test("a wrong key is refused with a clear message, and nothing is shown", async () => {
  await page.getByText("TICKWHEEL_API_KEY").waitFor();
  expect(await dashboard.link("The guide on keys").getAttribute("href")).toMatch(
    /docs\/guides\/install\.md#the-first-key$/,
  );
  await dashboard.logIn("x".repeat(40));
  await page.getByRole("alert").getByText("This key is not known").waitFor();
  expect(await page.getByRole("heading", { name: "Overview" }).count()).toBe(0);
});

describe("a session", () => {
  test("a session of the dashboard lives through a reload, and no script can read the key or the cookie", async () => {
    await dashboard.logIn();
    await dashboard.nodes.waitFor();
    const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])";
    expect(await page.evaluate(kept)).toBe('[{},{},""]');
    await page.reload();
    await dashboard.nodes.waitFor();
    expect(await page.getByLabel("API key").count()).toBe(0);
  });

  test("a session of the dashboard is over after the log-out, also for the browser's other pages", async () => {
    await dashboard.logIn();
    await page.getByRole("button", { name: "Logged in" }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("API key").waitFor();
    const status = await page.evaluate("fetch('../v1/session').then((answer) => answer.status)");
    expect(status).toBe(401);
  });

  test("a log-in to the dashboard brings back to the address that was asked for", async () => {
    await dashboard.open("#/tasks?q=key:abc");
    await page.reload();
    await page.waitForURL(/#\/log-in\?back=/);
    await dashboard.logIn();
    await page.waitForURL(/#\/tasks\?q=key:abc$/);
    await page.getByText("No task matches this filter").waitFor();
  });

  test("a session that ends asks for a key over the page, and what was written there stays", async () => {
    await dashboard.logIn();
    await dashboard.link("New task").click();
    await dashboard.typeField.fill(TEST_TYPE);
    // An overdue task would change which tab opens first.
    await page.getByLabel("Delay", { exact: true }).fill("1h");
    await dashboard.endSessions();
    await page.getByRole("button", { name: "Create task" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await dashboard.logIn();
    await dialog.waitFor({ state: "detached" });
    expect(await dashboard.typeField.inputValue()).toBe(TEST_TYPE);
    await page.getByRole("button", { name: "Create task" }).click();
    await page.getByRole("heading", { name: "Created:" }).waitFor();
  });
});

test("a viewer sees why nothing can be done, and no button that does it", async () => {
  await dashboard.logIn();
  const id = await dashboard.createTask();
  await page.context().clearCookies();
  await page.reload();
  await dashboard.logIn(await dashboard.newViewerKey());
  await page.getByText("You may read, not act: key").waitFor();
  await dashboard.open(`#/tasks/${id}`);
  await page.getByLabel("Payload: its shape").getByText('"orderId": "•string(4)"').waitFor();
  for (const name of ["Cancel task", "Run now"]) expect(await page.getByRole("button", { name }).count()).toBe(0);
  expect(await dashboard.link("New task").count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Tasks", exact: true }).waitFor();
  expect(await page.getByRole("option", { name: /Cancel task|New task/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await dashboard.open("#/");
  await page.getByText("You may not see the cluster").waitFor();
});

test("the theme is the system's until one is chosen, and the choice lives through a reload", async () => {
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  expect(dark).not.toBe(light);
  await dashboard.logIn();
  await page.getByRole("button", { name: "Theme: system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  expect(await ground()).toBe(dark);
  await page.reload();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  expect(await ground()).toBe(dark);
});

test("one key switches all times between the reader's zone and UTC", async () => {
  await dashboard.newContext({ timezoneId: "Asia/Kolkata" });
  ({ page } = dashboard);
  await dashboard.logIn();
  const id = await dashboard.createTask();
  await dashboard.open(`#/tasks/${id}`);
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

  test("pages, rows and the filter are reached by the keyboard alone, and a letter in a field is a letter", async () => {
    await dashboard.logIn();
    const key = randomUUID();
    await dashboard.createTask(key);
    await page.getByRole("heading", { name: "New task" }).click();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await at("#/tasks/scheduled");
    await dashboard.table("Tasks").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("gtz?");
    expect(await dashboard.filter.inputValue()).toBe("gtz?");
    await dashboard.filter.fill(`key:${key}`);
    await page.keyboard.press("Enter");
    await at(`#/tasks/scheduled?q=key:${key}`);
    // Until the filtered list is there, no row can be reached.
    const rows = dashboard.table("Tasks").locator("tbody tr");
    await eventually(async () => expect(await rows.allInnerTexts()).toEqual([expect.stringContaining(key)]));
    await page.getByRole("heading", { name: "Tasks", exact: true }).click();
    await page.keyboard.press("j");
    expect(await focused()).toBe(key);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancel task" }).waitFor();
  });

  test("the skip link leads to the page, and a closed dialog gives the focus back", async () => {
    await dashboard.logIn();
    await dashboard.nodes.waitFor();
    const find = page.getByRole("button", { name: "Find or do" });
    await find.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Find or do" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await find.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.getByRole("link", { name: "Skip to the page" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });

  test("shortcuts by single letters can be switched off", async () => {
    await dashboard.logIn();
    await dashboard.nodes.waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByLabel("Single letters act").uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Find or do" }).waitFor();
    expect(new URL(page.url()).hash).not.toContain("#/tasks");
  });

  test("the space bar holds the figures and lets them go on", async () => {
    await dashboard.logIn();
    await dashboard.nodes.waitFor();
    await page.getByRole("heading", { name: "Overview" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Frozen", pressed: true }).waitFor();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Frozen" }).waitFor({ state: "detached" });
  });
});

test("the palette goes to a page, finds a task by its id, and asks before it cancels", async () => {
  await dashboard.logIn();
  const id = await dashboard.createTask();
  const choose = async (text: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or do" }).fill(text);
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Find or do" }).waitFor({ state: "detached" });
  };
  await choose("overview");
  await dashboard.nodes.waitFor();
  await choose(id);
  await page.getByRole("button", { name: "Cancel task" }).waitFor();
  await choose("cancel");
  await page.getByRole("dialog", { name: "Cancel task?" }).getByRole("button", { name: "Back" }).waitFor();
});

test("the palette finds by the beginning of a key, a type, and a node's name", async () => {
  await dashboard.logIn();
  const key = `palette-${randomUUID()}`;
  await dashboard.createTask(key);
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Find or do" });
  await field.fill(hostname().slice(0, 4));
  await page.getByRole("option", { name: /a node$/ }).waitFor();
  await field.fill(TEST_TYPE.slice(0, 9));
  await page.getByRole("option", { name: `${TEST_TYPE} a type` }).waitFor();
  await field.fill(key.slice(0, 20));
  await page.getByRole("option", { name: `${key} a task of ${TEST_TYPE}` }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Cancel task" }).waitFor();
});

test("a phone has a bar with the pages, and the rest behind More", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.link("Tasks").click();
  await dashboard.table("Tasks").or(page.getByText("Nothing is scheduled")).first().waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("API key").waitFor();
});
