import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync } from "node:fs";
import { join } from "node:path";
import { HUNG_MS } from "./eventually.js";

export const repositoryRoot = join(import.meta.dirname, "../..");
const tether = join(import.meta.dirname, "tether.mjs");

/** This much of the newest output is kept for each process. */
const LOG_LIMIT_CHARACTERS = 200_000;

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface NodeProcessOptions {
  /** A JavaScript file; a built one must have been built. */
  script: string;
  args?: readonly string[];
  /** The whole environment of the process, besides PATH and HOME. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Which Node runs it; default: the one that runs the tests. */
  node?: string;
  /** A file descriptor in the place of the pipe that `log` reads; it is closed here. */
  stdout?: number;
  stderr?: number;
}

/**
 * A Node process of a test: a clean environment, its output kept, and tethered: it dies with the test process, however
 * that ends.
 */
export class NodeProcess {
  /** Settles when the process has ended and all of its output was read. Never rejects. */
  readonly exited: Promise<ProcessEnd>;
  /** Set as soon as the process has ended. */
  end: ProcessEnd | undefined;
  /** What it has sent by `process.send`. */
  readonly messages: unknown[] = [];
  #isAskedToEnd = false;
  readonly #child: ChildProcess;
  #log = "";

  constructor({ script, args = [], env = {}, cwd = repositoryRoot, ...options }: NodeProcessOptions) {
    const { node = process.execPath, stdout = "pipe", stderr = "pipe" } = options;
    if (!existsSync(script)) throw new Error(`${script} is missing: npm run build`);
    const { PATH = "", HOME = "" } = process.env;
    this.#child = spawn(node, ["--import", tether, script, ...args], {
      cwd,
      env: { PATH, HOME, NO_COLOR: "1", ...env },
      stdio: ["ignore", stdout, stderr, "ipc"],
    });
    for (const fd of new Set([stdout, stderr])) if (typeof fd === "number") closeSync(fd);
    for (const output of [this.#child.stdout, this.#child.stderr])
      output?.setEncoding("utf8").on("data", (text: string) => this.keep(text));
    this.#child.on("message", (message) => this.messages.push(message));
    this.#child.on("exit", (code, signal) => (this.end = { code, signal }));
    this.exited = once(this.#child, "close").then(() => this.end!);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Whether it ended without a signal of ours: a crash, or a start that failed. */
  get endedByItself(): boolean {
    return this.end !== undefined && !this.#isAskedToEnd;
  }

  /** What the process has written, stdout and stderr as they came. */
  log(): string {
    return this.#log;
  }

  /** SIGTERM, then waits for the end; SIGKILL for one that hangs. */
  async stop(): Promise<ProcessEnd> {
    return this.signalled("SIGTERM");
  }

  /** SIGKILL, then waits for the end. */
  async kill(): Promise<ProcessEnd> {
    return this.signalled("SIGKILL");
  }

  private async signalled(signal: NodeJS.Signals): Promise<ProcessEnd> {
    if (!this.end) this.#isAskedToEnd = true;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), HUNG_MS);
    const end = await this.exited;
    clearTimeout(timer);
    return end;
  }

  private keep(text: string): void {
    this.#log = (this.#log + text).slice(-LOG_LIMIT_CHARACTERS);
  }
}
