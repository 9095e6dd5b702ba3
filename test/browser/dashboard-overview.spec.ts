import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { FINE, lookAt } from "../support/test-browser.js";
import { dashboardOfSpec } from "../support/dashboard-page.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";

const LOST = "report.render";
const FAILING = "webhook.deliver";
const WELL = "order.cancel";
/** Only the node runs it that a test starts beside the page's. */
const BLOCKING = "video.encode";

const dashboard = dashboardOfSpec([FAILING, WELL]);
let page: Page;

/** Tasks that nobody runs, that fail, that have run, and that are due within a minute, an hour, a day and a month. */
beforeAll(async () => {
  const payload = (fields: object = {}): object => ({ payload: fields });
  const times = (count: number, task: (index: number) => object): object[] =>
    Array.from({ length: count }, (_, i) => task(i));
  const tasks = [
    ...times(12, () => ({ type: LOST, delay: 0, ...payload() })),
    ...times(30, () => ({ type: FAILING, delay: 0, maxAttempts: 1, ...payload({ fails: 9 }) })),
    ...times(20, () => ({ type: WELL, delay: 0, ...payload() })),
    ...times(24, (index) => ({ type: WELL, delay: `${55 + index * 20}s`, ...payload() })),
    ...times(10, (index) => ({ type: WELL, delay: `${index + 2}h`, ...payload() })),
    ...times(10, (index) => ({ type: LOST, delay: `${index + 2}d`, ...payload() })),
  ];
  for (const task of tasks) expect((await dashboard.client.post("/v1/tasks", task)).status).toBe(201);
});
beforeEach(() => {
  ({ page } = dashboard);
});

const region = (name: string): Locator => page.getByRole("region", { name, exact: true });
const at = (fragment: string) => page.waitForURL((url) => url.hash === fragment);

/** How many points of a chart's canvas are painted. */
async function paintedOf(chart: Locator): Promise<number> {
  return chart.locator("canvas").evaluate((canvas) => {
    const { width, height } = canvas as unknown as { width: number; height: number };
    const context = (
      canvas as unknown as { getContext(kind: string): { getImageData(...at: number[]): { data: Uint8Array } } }
    ).getContext("2d");
    return context.getImageData(0, 0, width, height).data.filter((value, index) => index % 4 === 3 && value > 0).length;
  });
}

test("the overview's findings are the server's, worst first, and lead to what they are about", async () => {
  await dashboard.logIn();
  const verdict = region("Verdict");
  await verdict.getByRole("heading", { name: `No live node runs ${LOST}` }).waitFor();
  await verdict.getByRole("heading", { name: `${FAILING}: 100 % of attempts fail` }).waitFor();
  await verdict
    .getByText(/^(One|Two) things? (is broken|are broken|need)/)
    .first()
    .waitFor();
  await verdict.getByText("Start a node with this handler.").waitFor();
  expect(await page.title()).toContain("Overview");
  await verdict.getByRole("link", { name: "The type" }).first().click();
  await at(`#/types/${LOST}`);
});

test("the wheel shows the minute ahead and what is overdue, and tells it as a sentence and a table", async () => {
  await dashboard.client.post("/v1/tasks", { type: WELL, delay: "58s", payload: {} });
  await dashboard.logIn();
  const wheel = region("Wheel");
  const picture = wheel.getByRole("img", { name: /Due in the next 60 seconds: [1-9].*12 overdue/ });
  await picture.waitFor();
  await eventually(async () => {
    expect(
      await picture
        .locator("path[class^=s-]")
        .evaluateAll((paths) => paths.filter((path) => path.getAttribute("d")).length),
    ).toBeGreaterThan(1);
  });
  await wheel.getByText("Show as table").click();
  await dashboard.table("Table of the fullest seconds ahead").getByRole("row").nth(1).waitFor();
});

test("the overview's five figures have a value and a line", async () => {
  await dashboard.logIn();
  const figures = page.getByRole("list", { name: "Figures" }).getByRole("listitem");
  await figures.filter({ hasText: "Overdue now" }).getByText(`all ${LOST}, no node runs it`).waitFor();
  await figures
    .filter({ hasText: "Places used" })
    .getByText(/^of \d/)
    .waitFor();
  await figures.filter({ hasText: "Failed attempts" }).getByText("30 in the last hour").waitFor();
  expect(await figures.count()).toBe(5);
  expect(await figures.locator("svg.spark").count()).toBe(5);
});

test("the overview's charts have the server's history at once, also after a reload, and as a table", async () => {
  await dashboard.logIn();
  for (const look of ["first", "reloaded"]) {
    if (look === "reloaded") await page.reload();
    const went = region("How it went");
    for (const name of [/^Starts and creates/, /^Lateness/, /^Failed attempts and places/]) {
      const chart = went.getByRole("img", { name });
      await chart.waitFor();
      await eventually(async () => expect(await paintedOf(chart)).toBeGreaterThan(500));
    }
  }
  await page.getByText("Show as table: lateness").click();
  const rows = dashboard.table("Table of lateness").getByRole("row");
  await eventually(async () => expect(await rows.count()).toBe(61));
});

test("the overview's range, time ahead and type are part of the address, and live through a reload", async () => {
  await dashboard.logIn();
  await region("How it went").getByRole("button", { name: "24 h" }).click();
  await at("#/?range=24h");
  await region("What is coming").getByRole("button", { name: "30 d" }).click();
  await at("#/?range=24h&ahead=30d");
  await page.getByLabel("Type", { exact: true }).selectOption(LOST);
  await at(`#/?range=24h&ahead=30d&type=${LOST}`);
  await page.reload();
  await region("How it went").getByRole("button", { name: "24 h", pressed: true }).waitFor();
  await region("What is coming").getByRole("button", { name: "30 d", pressed: true }).waitFor();
  await region("What is coming").getByText(`${LOST} alone: 10 tasks are due in 30 days.`).waitFor();
  expect(await page.getByLabel("Type", { exact: true }).inputValue()).toBe(LOST);
});

test("the tasks to come are counted by type, against what can be started", async () => {
  await dashboard.logIn();
  const coming = region("What is coming");
  await coming.getByText(/tasks are due in the next hour\. Counted/).waitFor();
  await coming
    .getByText(/No minute of the next hour brings more than can start: (about )?[\d,.]+ a minute\./)
    .waitFor();
  const row = dashboard.table("Due by type").getByRole("row").filter({ hasText: LOST });
  await row.waitFor();
  expect((await row.getByRole("cell").allInnerTexts()).map((text) => text.split(" ")[0])).toEqual(["0", "0", "10"]);
  await eventually(async () =>
    expect(await paintedOf(coming.getByRole("img", { name: /^Due per minute/ }))).toBeGreaterThan(500),
  );
});

test("a node on the overview has its name, places, wheel, beat, loop and clock, and an address of its own", async () => {
  await dashboard.logIn();
  const node = dashboard.nodes.getByRole("listitem");
  for (const name of ["Places", "Wheel", "Slots", "Beat", "Loop", "Clock"])
    await node.getByText(name, { exact: true }).waitFor();
  const label = (await node.locator(".label").innerText()).split(" ")[0]!;
  await dashboard.open(`#/?node=${encodeURIComponent(label)}`);
  await dashboard.nodes.locator(".is-chosen").waitFor();
});

test("a user who may not see the cluster reads that in one line, and has the rest", async () => {
  await dashboard.logIn(await dashboard.newViewerKey());
  await page.getByText("You may not see the cluster").waitFor();
  await region("Verdict")
    .getByRole("heading", { name: `No live node runs ${LOST}` })
    .waitFor();
  expect(await dashboard.nodes.count()).toBe(0);
  expect(await page.getByRole("link", { name: "The node" }).count()).toBe(0);
});

test("types are sorted by need, and a type has a page with its hour and its day", async () => {
  await dashboard.logIn();
  await dashboard.link("Types").click();
  const rows = dashboard.table("Types").getByRole("row");
  await page.getByText("3 types. One waits for a node, one fails; one runs as it should.").waitFor();
  expect(await dashboard.table("Types").getByRole("rowheader").getByRole("link").allInnerTexts()).toEqual([
    LOST,
    FAILING,
    WELL,
  ]);
  await rows.filter({ hasText: LOST }).getByText("no live node runs it").waitFor();
  await rows.filter({ hasText: FAILING }).getByText("100 %").waitFor();
  await dashboard.table("Types").getByRole("link", { name: FAILING }).click();
  await at(`#/types/${FAILING}`);
  await region(`The last hour of ${FAILING}`)
    .getByRole("img", { name: /^Lateness/ })
    .waitFor();
  await region(`The next 24 h of ${FAILING}`)
    .getByText(/Nothing is due in 24 h/)
    .waitFor();
  await page.reload();
  await region(`The last hour of ${FAILING}`).waitFor();
});

test("the keyboard reaches the types, a range, a table and a type's page", async () => {
  await dashboard.logIn();
  await region("Verdict").waitFor();
  await region("How it went").getByRole("button", { name: "7 d" }).focus();
  await page.keyboard.press("Enter");
  await at("#/?range=7d");
  await page.getByText("Show as table: throughput").focus();
  await page.keyboard.press("Enter");
  await dashboard.table("Table of throughput").waitFor();
  await page.getByRole("heading", { name: "Overview" }).focus();
  await page.keyboard.press("g");
  await page.keyboard.press("y");
  await at("#/types");
  await dashboard.table("Types").waitFor();
  await page.getByRole("heading", { name: "Types" }).focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await at(`#/types/${LOST}`);
});

describe.each(["light", "dark"] as const)("in %s, nothing is hard to read or out of reach", (colorScheme) => {
  test.each(depth({ sample: [1280, 320], whole: [1280, 1000, 390, 320] }))(
    "nothing is hard to read or out of reach on the overview at %d px",
    async (width) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await dashboard.logIn();
      await page.setViewportSize({ width, height: 900 });
      await region("Verdict")
        .getByRole("heading", { name: `No live node runs ${LOST}` })
        .waitFor();
      await dashboard.table("Due by type").waitFor();
      await dashboard.nodes.waitFor();
      await page.getByText("Show as table: lateness").click();
      expect(await lookAt(page)).toEqual(FINE);
      await dashboard.open(`#/types/${FAILING}`);
      await region(`The last hour of ${FAILING}`).getByRole("img").first().waitFor();
      expect(await lookAt(page)).toEqual(FINE);
    },
  );
});

test("forced colours and a zoom of 200 % hide nothing of the overview", async () => {
  await page.emulateMedia({ forcedColors: "active" });
  await dashboard.logIn();
  await page.setViewportSize({ width: 640, height: 450 });
  await dashboard.nodes.waitFor();
  await dashboard.table("Due by type").waitFor();
  expect((await lookAt(page)).overflowPx).toBe(0);
  expect(await region("Wheel").getByRole("img").isVisible()).toBe(true);
});

test("a cold visit to the overview paints its frame, and the wheel ticks at little cost", async () => {
  await dashboard.newContext();
  ({ page } = dashboard);
  const paints = (await page.evaluate(
    "performance.getEntriesByType('paint').map(({ name, startTime }) => [name, Math.round(startTime)])",
  )) as [string, number][];
  await dashboard.logIn();
  await region("Wheel").getByRole("img").waitFor();
  // What a tick does at most: each bar is written anew. Then the same with the layout that follows.
  const tickMs = (withLayout: boolean) =>
    page.evaluate(`(() => {
    const wheel = document.querySelector("svg.wheel");
    const bars = [...wheel.querySelectorAll("path")].slice(-64);
    const began = performance.now();
    for (let turn = 0; turn < 400; turn++) {
      bars.forEach((bar, index) => bar.setAttribute("d", "M" + index + " 70L" + turn + " 90"));
      if (${withLayout}) wheel.getBBox();
    }
    return Math.round((performance.now() - began) / 0.4) / 1000;
  })()`);
  printFigures("dashboard overview", {
    paintMs: Object.fromEntries(paints),
    wheelTickMs: await tickMs(false),
    wheelTickAndLayoutMs: await tickMs(true),
  });
});

test("a blocked loop is told at its node: for how long, by what, and the task that was started last", async () => {
  await dashboard.addNode([BLOCKING]);
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  const { body } = await dashboard.client.post<{ id: string }>("/v1/tasks", {
    type: BLOCKING,
    delay: 0,
    payload: { blockMs: 600_000 },
  });
  const node = dashboard.nodes.getByRole("listitem").filter({ hasText: `by ${BLOCKING}.` });
  await node.getByText(/Its loop is blocked for [\d.]+ m?s/).waitFor();
  expect(await node.getByRole("link", { name: "Last started task" }).getAttribute("href")).toBe(`#/tasks/${body.id}`);
  const verdict = region("Verdict");
  await verdict.getByRole("heading", { name: /The event loop of .* is blocked/ }).waitFor();
  await verdict.getByRole("link", { name: "The node" }).first().click();
  await dashboard.nodes
    .locator(".is-chosen")
    .filter({ hasText: `by ${BLOCKING}.` })
    .waitFor();
});
