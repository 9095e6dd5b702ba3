import { randomUUID } from "node:crypto";
import { hashApiKey } from "@tickwheel/api";
import pg from "pg";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { ApiClient } from "./api-client.js";
import {
  newTestKey,
  startSchedulerNode,
  startTestApp,
  startTestServices,
  type TestNode,
  type TestServices,
} from "./cluster.js";
import { Ledger } from "./ledger.js";
import { faultsOf, launchChromium } from "./test-browser.js";

/** A type that no node runs. */
export const TEST_TYPE = "browser.test";

/** The dashboard of a real node in a real browser; each test has a browser context of its own. */
export class DashboardPage {
  readonly apiKey = newTestKey();
  page!: Page;
  /** What must not happen on any page; a test's own context begins without any. */
  faults: string[] = [];
  private context: BrowserContext | undefined;

  private constructor(
    readonly services: TestServices,
    private readonly browser: Browser,
  ) {}

  private node!: TestNode;
  private readonly others: TestNode[] = [];

  /**
   * @param types those that the node has handlers for, see `app/`; none: it is the stand-alone node
   * @param schedules the names of those that its code defines; only with types
   */
  static async start(types: readonly string[] = [], schedules: readonly string[] = []): Promise<DashboardPage> {
    const services = await startTestServices();
    const dashboard = new DashboardPage(services, await launchChromium());
    const { databaseUrl } = services;
    const { apiKey } = dashboard;
    dashboard.node =
      types.length === 0
        ? await startSchedulerNode({ databaseUrl, apiKey })
        : await dashboard.startFirstApp(types, schedules);
    return dashboard;
  }

  private async startFirstApp(types: readonly string[], schedules: readonly string[]): Promise<TestNode> {
    const ledger = new Ledger(this.services.databaseUrl);
    await ledger.create();
    await ledger.stop();
    return this.startApp(types, schedules);
  }

  private startApp(types: readonly string[], schedules: readonly string[] = []): Promise<TestNode> {
    const { databaseUrl } = this.services;
    return startTestApp({ databaseUrl, apiKey: this.apiKey, types, schedules, api: { dashboard: true } });
  }

  /** Another node, beside the one whose page it is. */
  async addNode(types: readonly string[]): Promise<void> {
    this.others.push(await this.startApp(types));
  }

  /** With the administrator's key. */
  get client(): ApiClient {
    return this.node.client;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    // A test may have stopped its Postgres, which a node waits for before it stops by itself.
    await Promise.all([this.node, ...this.others].map((node) => node.kill()));
    await this.services.stop();
  }

  /** The node's address, without a path. */
  get origin(): string {
    return new URL(this.node.url).origin;
  }

  /** Opens the page as somebody whom this browser does not know. */
  async newContext(options: BrowserContextOptions = {}): Promise<void> {
    await this.context?.close();
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    this.page = await this.context.newPage();
    this.faults = faultsOf(this.page);
    await this.open("");
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

  /** The nodes on the overview. */
  get nodes(): Locator {
    return this.page.getByRole("list", { name: "Nodes", exact: true });
  }

  /** The field of the form for a new task; the overview, which may still be there, has a list of the same name. */
  get typeField(): Locator {
    return this.page.getByRole("textbox", { name: "Type" });
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
    return page.getByText("Created:").locator("..").getByRole("link").innerText();
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
