import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "./node-process.js";

/**
 * The last release, as a commit of this repository. The next release sets it to the one before: nodes of both work on one table while a
 * cluster is upgraded, and no other two have to.
 */
const LAST_RELEASE = "cde62180c42489cd631d9a665f8096659b5c986f";

const run = promisify(execFile);
/** Two builds on a busy machine, and a registry that is slow today. */
const BUILD_LIMIT_MS = 200_000;

/** The last release, taken from this repository's history and built in a folder of its own, which `stop` removes. */
export class LastRelease {
  private constructor(private readonly folder: string) {}

  /** @throws Error where this clone's history does not reach back so far */
  static async build(): Promise<LastRelease> {
    await requireCommit();
    const release = new LastRelease(mkdtempSync(join(tmpdir(), "tickwheel-last-release-")));
    try {
      await release.make();
      return release;
    } catch (error) {
      release.stop();
      throw error;
    }
  }

  /** Its small application for tests: see `app/`. */
  get appScript(): string {
    return join(this.folder, "test/support/app/main.mjs");
  }

  stop(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async make(): Promise<void> {
    const archive = join(this.folder, "release.tar");
    await run("git", ["archive", `--output=${archive}`, LAST_RELEASE], { cwd: repositoryRoot });
    await run("tar", ["-xf", archive], { cwd: this.folder });
    await this.npm("ci", "--prefer-offline", "--no-audit", "--no-fund");
    await this.npm("run", "build");
    if (!existsSync(this.appScript)) throw new Error(`${LAST_RELEASE} has no application for tests`);
  }

  private async npm(...args: string[]): Promise<void> {
    const limits = { timeout: BUILD_LIMIT_MS, maxBuffer: 16_000_000 };
    await run("npm", args, { cwd: this.folder, ...limits });
  }
}

async function requireCommit(): Promise<void> {
  try {
    await run("git", ["cat-file", "-e", `${LAST_RELEASE}^{commit}`], { cwd: repositoryRoot });
  } catch (cause) {
    const cure = "This test needs a clone with its whole history: `git fetch --unshallow`";
    throw new Error(`The last release, ${LAST_RELEASE}, is not in this repository. ${cure}`, { cause });
  }
}
