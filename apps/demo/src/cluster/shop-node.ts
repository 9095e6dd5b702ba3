import { type ChildProcess, fork } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { freePort } from "@tickwheel/local-services";

/** What all nodes of the shop are told. */
export interface ShopNodeOptions {
  databaseUrl: string;
  redisUrl: string | null;
  paymentProviderUrl: string;
  apiKey: string;
}

const SHOP = fileURLToPath(new URL("../../../shop/dist/main.js", import.meta.url));
const DRAIN_LIMIT_MS = 30_000;
const LOG_TAIL_LINES = 15;

/**
 * A shop in a process of its own. Its output goes to a file. It ends with this process: over the channel between the
 * two it learns that this one is gone, however it died.
 */
export class ShopNode {
  /** When the process has ended. */
  readonly ended: Promise<void>;
  private wishedEnd = false;
  private hasEnded = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly logFile: string,
  ) {
    this.ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    }).then(() => {
      this.hasEnded = true;
    });
  }

  /** Starts the process; it is not ready yet. */
  static async start(settings: ShopNodeOptions, logFile: string): Promise<ShopNode> {
    const port = await freePort();
    const log = openSync(logFile, "a");
    const child = fork(SHOP, {
      env: environmentOf(settings, port),
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    return new ShopNode(child, `http://127.0.0.1:${port}`, logFile);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return !this.hasEnded;
  }

  /** Whether it ended although nobody wanted it to. */
  get hasCrashed(): boolean {
    return this.hasEnded && !this.wishedEnd;
  }

  kill(): void {
    this.wishedEnd = true;
    this.child.kill("SIGKILL");
  }

  /** Drains the node; after 30 s it is killed. */
  async stop(): Promise<void> {
    this.wishedEnd = true;
    this.child.kill("SIGTERM");
    const timer = setTimeout(() => this.child.kill("SIGKILL"), DRAIN_LIMIT_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** The last lines that it wrote. */
  logTail(): string {
    return readFileSync(this.logFile, "utf8").trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");
  }
}

/** The shop refuses variables of the scheduler that it does not know, and takes none of ours by accident. */
function environmentOf(settings: ShopNodeOptions, port: number): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("TICKWHEEL_"));
  return {
    ...Object.fromEntries(inherited),
    DATABASE_URL: settings.databaseUrl,
    REDIS_URL: settings.redisUrl ?? "",
    PAYMENT_PROVIDER_URL: settings.paymentProviderUrl,
    TICKWHEEL_API_KEY: settings.apiKey,
    HOST: "127.0.0.1",
    PORT: String(port),
    NO_COLOR: "1",
  };
}
