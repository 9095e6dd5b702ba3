import { createHash } from "node:crypto";
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { LocalServiceError } from "../processes/local-service-error.js";
import { mayReach, serverUser } from "../processes/server-user.js";

/**
 * `wanted`, made if it is missing; or, where we may not write or the server's account may not enter (a 0700 home), a
 * stand-in under `/var/tmp` whose name is derived from `wanted`: the same wish always gives the same folder.
 */
export function usableFolder(wanted: string): string {
  const path = resolve(wanted);
  return canUse(nearestExisting(path)) ? makeFolder(path) : makeFolder(join(standInRoot(), hashOf(path)));
}

/** The per-user cache: `$XDG_CACHE_HOME/tickwheel`, or `~/.cache/tickwheel`, or their stand-in. */
export function cacheFolder(): string {
  return usableFolder(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "tickwheel"));
}

/**
 * Where this user's short-lived instances live. The same for every run, so that each run finds what an earlier one
 * left.
 */
export function ephemeralRoot(): string {
  return makeFolder(join(standInRoot(), "ephemeral"));
}

/** A folder of ours under `/var/tmp`, which outlives a reboot and which every account may enter. */
function standInRoot(): string {
  const uid = process.getuid?.() ?? 0;
  const parent = isWritable("/var/tmp") ? "/var/tmp" : tmpdir();
  const root = makeFolder(join(parent, `tickwheel-${uid}`));
  const found = lstatSync(root);
  if (found.isDirectory() && found.uid === uid) return root;
  throw new LocalServiceError("FOLDER_UNUSABLE", `${root} belongs to somebody else: remove it`);
}

function canUse(existing: string): boolean {
  const user = serverUser();
  return isWritable(existing) && (!user || mayReach(realpathSync(existing), user));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

/** Makes a folder that others may enter, whatever the umask. */
function makeFolder(path: string): string {
  const firstMade = mkdirSync(path, { recursive: true });
  for (let made = path; firstMade && made.startsWith(firstMade); made = dirname(made)) chmodSync(made, 0o755);
  return realpathSync(path);
}

function hashOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}
