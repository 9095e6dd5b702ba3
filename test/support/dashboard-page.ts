import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import pg from "pg";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { ApiClient } from "./api-client.js";
import { newTestKey, type TestNode, type TestServices, TestStage } from "./cluster.js";
import { Ledger } from "./ledger.js";
import { faultsOf, launchChromium } from "./test-browser.js";

/** A type that no node runs. */
export const TEST_TYPE = "browser.test";

/** The dashboard of a real node in a real browser; each test has a browser context of its own. */
export class DashboardPage {
  page!: Page;
  services!: TestServices;
  /** What must not happen on any page; a test's own context begins without any. */
  faults: string[] = [];
  private readonly stage = new TestStage();
  private node!: TestNode;
  private browser: Browser | undefined;
  private context: BrowserContext | undefined;

  /**
   * @param types those that the node has handlers for, see `app/`; none: it is the stand-alone node
   * @param schedules the names of those that its code defines; only with types
   */
  async start(types: readonly string[] = [], schedules: readonly string[] = []): Promise<void> {
    this.services = await this.stage.services();
    this.browser = await launchChromium();
    const { databaseUrl } = this.services;
    this.node =
      types.length === 0 ? await this.stage.scheduler({ databaseUrl }) : await this.startFirstApp(types, schedules);
  }

  private async startFirstApp(types: readonly string[], schedules: readonly string[]): Promise<TestNode> {
    const ledger = new Ledger(this.services.databaseUrl);
    await ledger.create();
    await ledger.stop();
    return this.startApp(types, schedules);
  }

  private startApp(types: readonly string[], schedules: readonly string[] = []): Promise<TestNode> {
    const { databaseUrl } = this.services;
    return this.stage.app({ databaseUrl, types, schedules, api: { dashboard: true } });
  }

  /** Another node, beside the one whose page it is. */
  async addNode(types: readonly string[]): Promise<void> {
    await this.startApp(types);
  }

  /** With the administrator's key. */
  get client(): ApiClient {
    return this.node.client;
  }

  /** After a start that failed, too. Nodes are killed: a test may have stopped their Postgres, which they wait for. */
  async stop(): Promise<void> {
    await this.browser?.close();
    await this.stage.stop();
  }

  /** The administrator's. */
  get apiKey(): string {
    return this.stage.apiKey;
  }

  /** The node's address, without a path. */
  get origin(): string {
    return new URL(this.node.url).origin;
  }

  /**
   * Opens the page as somebody whom this browser does not know. It waits until the page has gone to the log-in: a
   * test's own first address would be lost if the page went there after it.
   */
  async newContext(options: BrowserContextOptions = {}): Promise<void> {
    await this.context?.close();
    this.context = await this.browser!.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    this.page = await this.context.newPage();
    this.faults = faultsOf(this.page);
    await this.open("");
    await this.page.waitForURL(/#\/log-in$/);
  }

  async closeContext(): Promise<void> {
    await this.context?.close();
    this.context = undefined;
  }

  async open(fragment: string): Promise<void> {
    await this.page.goto(new URL(`/dashboard/${fragment}`, this.node.url).href);
  }

  async logIn(key = this.apiKey): Promise<void> {
    await this.page.getByLabel("API key").fill(key);
    await this.page.getByRole("button", { name: "Log in" }).click();
  }

  link(name: string): Locator {
    return this.page.getByRole("link", { name, exact: true });
  }

  table(name: string): Locator {
    return this.page.getByRole("table", { name });
  }

  /** What has happened to the task whose page it is. */
  get journal(): Locator {
    return this.page.getByRole("list", { name: "Journal" });
  }

  /** The nodes on the overview. */
  get nodes(): Locator {
    return this.page.getByRole("list", { name: "Nodes", exact: true });
  }

  /** The field of the form for a new task; the overview, which may still be there, has a list of the same name. */
  get typeField(): Locator {
    return this.page.locator("form").getByRole("combobox", { name: "Type" });
  }

  /** The filter of the tasks as a line of words. */
  get filter(): Locator {
    return this.page.getByRole("search").getByRole("textbox", { name: "Filter" });
  }

  /** Creates a task that is due in an hour by the form, which stays open, and gives its id. */
  async createTask(key: string = randomUUID()): Promise<string> {
    const { page } = this;
    await this.link("New task").first().click();
    await this.typeField.fill(TEST_TYPE);
    await page.getByLabel("Payload (JSON)").fill('{"orderId":"4711"}');
    await page.getByLabel("Delay", { exact: true }).fill("1h");
    await page.getByLabel("Key", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Create task" }).click();
    return page.getByRole("heading", { name: "Created:" }).locator("..").getByRole("link").innerText();
  }

  /** A key that may read its namespace's tasks, and not the cluster. */
  async newViewerKey(): Promise<string> {
    const key = newTestKey();
    const sql =
      "INSERT INTO tickwheel.api_key (hash, namespace, role, cluster) VALUES ($1, 'default', 'viewer', false)";
    await this.query(sql, [hashApiKey(key)]);
    return key;
  }

  /** Ends all sessions, as when their time is over. */
  async endSessions(): Promise<void> {
    await this.query("DELETE FROM tickwheel.session");
  }

  private async query(sql: string, values: unknown[] = []): Promise<void> {
    const database = new pg.Client({ connectionString: this.services.databaseUrl });
    await database.connect();
    try {
      await database.query(sql, values);
    } finally {
      await database.end();
    }
  }
}

/**
 * The frame of a spec: a dashboard for the whole file, which each test opens as somebody whom the browser does not
 * know, and on which nothing may have happened that must not happen on any page.
 *
 * @param given as for `DashboardPage.start`
 */
export function dashboardOfSpec(...given: Parameters<DashboardPage["start"]>): DashboardPage {
  const dashboard = new DashboardPage();
  beforeAll(() => dashboard.start(...given));
  afterAll(() => dashboard.stop());
  beforeEach(() => dashboard.newContext());
  afterEach(async () => {
    await dashboard.closeContext();
    expect(dashboard.faults).toEqual([]);
  });
  return dashboard;
}

/** What stands on the page of one batch or schedule, and on the list of them. */
export function partsOf(dashboard: DashboardPage) {
  return {
    button: (name: string | RegExp): Locator => dashboard.page.getByRole("button", { name }),
    dialog: (): Locator => dashboard.page.getByRole("dialog"),
    heading: (name: string): Locator => dashboard.page.getByRole("heading", { level: 1, name }),
    standing: (): Locator => dashboard.page.getByRole("region", { name: "How it stands" }),
    row: (table: string, text: string | RegExp): Locator =>
      dashboard.table(table).getByRole("row").filter({ hasText: text }),
  };
}
