import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SettingsName } from "./contestant.js";
import type { ContestantProgram } from "./contestant-process.js";

export const schedulerNames = ["tickwheel", "bullmq", "pg-boss", "graphile-worker"] as const;

/** Ours first, the base of all ratios; `postgres` and `framework` are limits that no scheduler on them can pass. */
export const contestantNames = [...schedulerNames, "postgres", "framework"] as const;
export type ContestantName = (typeof contestantNames)[number];

/** Who keeps its tasks in Postgres. */
export function isOnPostgres({ peer }: Pick<Subject, "peer">): boolean {
  return peer !== "bullmq" && peer !== "framework";
}

/** The schedulers, and what bare Postgres does in their place. */
export const withPostgres = [...schedulerNames, "postgres"] as const;

/** One that is measured. */
export interface Subject {
  readonly peer: ContestantName;
  readonly settings: SettingsName;
}

const OWN_MODULES: Partial<Record<ContestantName, string>> = {
  tickwheel: "tickwheel.js",
  postgres: "bare-postgres.js",
  framework: "bare-framework.js",
};

/** From `dist/schedulers`. */
const PEERS = join(import.meta.dirname, "../../../peers");
const PEERS_NODE = join(PEERS, "node_modules/node/bin/node");

/** Settings that a subject's Redis has beyond those of all. */
export function redisSettingsOf({ peer, settings }: Subject): Record<string, string | number> {
  return peer === "bullmq" && settings !== "defaults" ? { hz: 100 } : {};
}

/** Who runs: ours with `own`, the limits as they are, each other with the settings asked for. */
export function subjectsOf(
  peers: readonly ContestantName[],
  settings: readonly SettingsName[],
  own: readonly SettingsName[] = ["defaults"],
): Subject[] {
  return peers.flatMap((peer) => {
    const others: readonly SettingsName[] = OWN_MODULES[peer] === undefined ? settings : ["defaults"];
    const choices = peer === "tickwheel" ? own : others;
    return choices.map((each) => ({ peer, settings: each }));
  });
}

/**
 * Where the contestants' programs are. The packages of the others, and the Node that all of them run on then, are
 * installed by the first run that needs them; without them ours runs on the Node of this process.
 * @throws Error if they cannot be installed
 */
export class Programs {
  private constructor(private readonly node: string) {}

  static prepare(peers: readonly ContestantName[], progress: (text: string) => void): Programs {
    const needsPeers = peers.some((peer) => OWN_MODULES[peer] === undefined);
    if (needsPeers && !isInstalled()) install(progress);
    return new Programs(isInstalled() ? PEERS_NODE : process.execPath);
  }

  /** For example `v24.21.0`. */
  get nodeVersion(): string {
    return execFileSync(this.node, ["--version"], { encoding: "utf8" }).trim();
  }

  of(peer: ContestantName): ContestantProgram {
    const own = OWN_MODULES[peer];
    return { node: this.node, module: own ? join(import.meta.dirname, own) : join(PEERS, `${peer}.mjs`) };
  }
}

/** Whether the installed packages are those of the lock file. */
function isInstalled(): boolean {
  const installed = join(PEERS, "node_modules/.package-lock.json");
  if (!existsSync(installed) || !existsSync(PEERS_NODE)) return false;
  return statSync(installed).mtimeMs >= statSync(join(PEERS, "package-lock.json")).mtimeMs;
}

function install(progress: (text: string) => void): void {
  progress("installing the other schedulers and their Node into test/bench/peers");
  // Not `npm ci`: it refuses a lock file without the packages of every other platform, and registries that hold only
  // some make such ones.
  const { status } = spawnSync("npm", ["install", "--no-save"], { cwd: PEERS, stdio: ["ignore", 2, 2] });
  if (status !== 0)
    throw new Error("the other schedulers could not be installed: see above; --peer tickwheel runs without them");
}
