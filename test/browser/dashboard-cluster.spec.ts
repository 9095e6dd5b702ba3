import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import type { Browser, Locator, Page } from "playwright-core";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { expectSameView } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import { FINE, logIn, lookAt, openDashboard } from "../support/test-browser.js";

/** Only the node runs it that is killed. */
const LOST = "report.render";

const stage = new TestStage();
let nodes: TestNode[];
let victim: TestNode;
let ledger: Ledger;
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const start = (types: string[]): Promise<TestNode> => stage.app({ databaseUrl, types, api: { dashboard: true } });
  nodes = await stage.many(2, () => start(["order"]));
  victim = await start(["order", LOST]);
  await eventually(() => expectSameView([...nodes, victim]));
  ({ browser, page, faults } = await openDashboard(nodes[0]!, stage.apiKey));
});
afterAll(async () => {
  await browser?.close();
  await stage.stop();
});

const main = (): Locator => page.getByRole("main");
const table = (name: string): Locator => page.getByRole("table", { name, exact: true });
const events = (): Locator => page.getByRole("list", { name: "Events" }).getByRole("listitem");
const closeUp = (): Locator => page.getByRole("region", { name: "Close-up" });
const marks = (kind: string): Locator => page.locator(`.time-line .mark[data-kind=${kind}]`);
const at = (fragment: RegExp) => page.waitForURL((url) => fragment.test(url.hash));
const ofVictim = (text: string): RegExp => new RegExp(`:${victim.pid} ${text}`);

describe("the page of the cluster", () => {
  test("the page of the cluster says who is there and who leads, reached by the keyboard", async () => {
    await page.getByRole("list", { name: "Nodes", exact: true }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await at(/^#\/cluster$/);
    await main()
      .getByText(/^3 of 3 nodes live, which share all 4,096 slots\. .* leads since /)
      .waitFor();
    expect(await table("Nodes").getByRole("row").count()).toBe(4);
    await table("Nodes").getByText("leader").waitFor();
    await events()
      .filter({ hasText: ofVictim("joined") })
      .waitFor();
  });

  test("a node of the overview leads to its row on the page of the cluster, with the types that it runs", async () => {
    await page.goto(`${nodes[0]!.url}/dashboard/#/`);
    const card = page.getByRole("list", { name: "Nodes", exact: true }).getByRole("listitem");
    await card
      .filter({ hasText: `:${victim.pid}` })
      .getByRole("link")
      .first()
      .click();
    await at(/^#\/cluster\?node=/);
    await table("Nodes")
      .getByText(/It runs .*report\.render/)
      .waitFor();
    await page.getByRole("group", { name: "Which node" }).getByRole("button", { name: "All" }).click();
    await at(/^#\/cluster$/);
  });

  test("the wheel on the page of the cluster is that of all nodes, and of one node its share with the rest behind it", async () => {
    const tasks = Array.from({ length: 30 }, () => ({ type: "order", payload: {}, delay: "55s" }));
    expect((await nodes[0]!.client.post("/v1/tasks/bulk", { tasks })).status).toBeLessThan(300);
    const wheel = page.getByRole("region", { name: "The wheel", exact: true });
    await wheel.getByRole("img", { name: /Due in the next 60 seconds: 30 tasks/ }).waitFor();
    await table("Fullest seconds ahead").getByText("order").first().waitFor();
    await page
      .getByRole("group", { name: "Which node" })
      .getByRole("button", { name: `:${victim.pid}` })
      .click();
    const share = page.getByRole("region", { name: /^The share of / });
    await share.getByRole("img", { name: /Due in the next 60 seconds: [12]?\d tasks?/ }).waitFor();
    expect(await share.locator("svg.wheel .dim path[d^=M]").count()).toBeGreaterThan(0);
    await share.getByText(" of 30").waitFor();
    await page.getByRole("group", { name: "Which node" }).getByRole("button", { name: "All" }).click();
  });

  test("a killed node is taken over in the time line of the cluster's page, from near, and in the list", async () => {
    const began = Date.now();
    const shownAt = async (kind: string): Promise<number> => {
      await marks(kind).first().waitFor();
      return Date.now();
    };
    await victim.kill();
    const [suspectAt, deadAt, takenOverAt] = await Promise.all([
      shownAt("SUSPECT"),
      shownAt("DEAD"),
      shownAt("TAKEOVER"),
    ]);
    const { items } = (
      await nodes[0]!.client.get<{ items: { at: string }[] }>("/v1/cluster/events?kind=TAKEOVER&limit=2")
    ).body;
    const takeoverShownAfterMs = takenOverAt - Math.min(...items.map(({ at: happened }) => Date.parse(happened)));
    await closeUp()
      .getByText(/Close-up: .* (took over [\d,]+ slots? of|declared dead)/)
      .waitFor();
    await closeUp()
      .getByRole("img", { name: /last beat at .*suspect at .*dead at / })
      .waitFor();
    await closeUp().getByText("loads").first().waitFor();
    await closeUp()
      .getByText(/From the last beat until the last of its slots was loaded/)
      .waitFor();
    await page.getByRole("button", { name: /came: show the list as it is/ }).click();
    await events()
      .filter({ hasText: ofVictim("declared dead after") })
      .getByText(`it was the last one with ${LOST}`)
      .waitFor();
    await main()
      .getByText(/^1 node gone within 24 hours$/)
      .click();
    const gone = table("Nodes that are gone")
      .getByRole("row")
      .filter({ hasText: `:${victim.pid}` });
    await gone.getByText(`it was the last one with ${LOST}`).waitFor();
    printFigures("a node killed, as the page of the cluster shows it", {
      suspectMs: suspectAt - began,
      deadMs: deadAt - began,
      takenOverMs: takenOverAt - began,
      takeoverShownAfterMs,
    });
  });

  test("an event of the cluster is chosen by the keyboard, and stands in the address", async () => {
    const joined = events()
      .filter({ hasText: ofVictim("joined") })
      .getByRole("link");
    await joined.focus();
    await page.keyboard.press("Enter");
    await at(/^#\/cluster\?event=\d+$/);
    await closeUp()
      .getByText(/Close-up: .* joined/)
      .waitFor();
    await page.reload();
    await closeUp()
      .getByText(/Close-up: .* joined/)
      .waitFor();
    await page.getByRole("group", { name: "How far back" }).getByRole("button", { name: "24 h" }).focus();
    await page.keyboard.press("Enter");
    await at(/range=24h/);
    await closeUp()
      .getByText(/Close-up: .* joined/)
      .waitFor();
  });

  test("a user without the right to the cluster sees why, and no entry in the navigation", async () => {
    const key = newTestKey();
    await ledger.query(
      `INSERT INTO tickwheel.api_key (hash, namespace, role, cluster) VALUES ('${hashApiKey(key)}', 'default', 'viewer', false)`,
    );
    const viewer = await (await browser.newContext()).newPage();
    await viewer.goto(`${nodes[1]!.url}/dashboard/#/cluster`);
    await logIn(viewer, key);
    await viewer.getByRole("heading", { name: "You may not see the cluster" }).waitFor();
    expect(await viewer.getByRole("navigation").getByRole("link", { name: "Cluster" }).count()).toBe(0);
    await viewer.context().close();
  });

  describe.each(["light", "dark"] as const)("in %s, nothing is hard to read or out of reach", (colorScheme) => {
    test.each(depth({ sample: [1280, 320], whole: [1280, 1000, 390, 320] }))(
      "nothing is hard to read or out of reach on the page of the cluster at %d px",
      async (width) => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${nodes[0]!.url}/dashboard/#/cluster`);
        await closeUp().waitFor();
        await table("Nodes").waitFor();
        expect(await lookAt(page)).toEqual(FINE);
      },
    );
  });

  test("nothing happened on the page of the cluster that must not", () => {
    expect(faults).toEqual([]);
  });
});
