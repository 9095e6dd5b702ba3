import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";

/** npm's own program, so that the signal goes to npm's process. */
const npmCli = join(execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim(), "npm/bin/npm-cli.js");

let folder: string;

/** Takes the place of the repository, with its own data folder: npm runs a script in the folder of its package.json. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tickwheel-npm-start-"));
  // If the tests run as root, the embedded server runs under another account.
  chmodSync(folder, 0o755);
  copyFileSync(join(repositoryRoot, "package.json"), join(folder, "package.json"));
  for (const name of ["test", "apps", "libs", "node_modules"])
    symlinkSync(join(repositoryRoot, name), join(folder, name));
});

afterEach(async () => {
  for (const { pid } of processesOf(folder)) killIfThere(pid);
  await eventually(() => expect(processesOf(folder)).toEqual([]));
  rmSync(folder, { recursive: true, force: true });
});

describe("npm start", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "npm start ends when npm gets %s, and leaves no process",
    async (signal) => {
      const port = await freePort();
      const npm = spawnNpm(["start"], {
        PORT: String(port),
        TICKWHEEL_API_KEY: newTestKey(),
        TICKWHEEL_LOG_FORMAT: "text",
      });
      await eventually(() => {
        if (npm.end) return;
        expect(npm.log()).toMatch(/^API\s+http/m);
      });
      expect({ end: npm.end, log: npm.end && npm.log() }).toEqual({ end: undefined, log: undefined });
      // npm, the node, and the Postgres that the node started.
      expect(processesOf(folder).length).toBeGreaterThan(2);

      process.kill(npm.pid, signal);
      await eventually(() => expect(processesOf(folder)).toEqual([]));
    },
  );

  test("npm start passes its arguments on, as npm run demo does", async () => {
    const start = spawnNpm(["start", "--", "--help"]);
    const demo = spawnNpm(["run", "demo", "--", "--help"]);
    expect(await Promise.all([start.exited, demo.exited])).toEqual(Array(2).fill({ code: 0, signal: null }));
    expect(start.log()).toContain("TICKWHEEL_ROLES");
    expect(demo.log()).toContain("--kill-redis");
  });
});

function spawnNpm(args: string[], env: Record<string, string> = {}): NodeProcess {
  return new NodeProcess({ script: npmCli, args, cwd: folder, env: { npm_config_update_notifier: "false", ...env } });
}

interface Found {
  pid: number;
  command: string;
}

/** The processes that work in a folder or name it in their command line. */
function processesOf(path: string): Found[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      const isHere = command.includes(path) || readlinkSync(`/proc/${name}/cwd`).startsWith(path);
      return isHere ? [{ pid: Number(name), command }] : [];
    } catch {
      // The process has ended meanwhile, or belongs to another user.
      return [];
    }
  });
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
