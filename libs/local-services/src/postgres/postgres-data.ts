import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { LocalServiceError } from "../processes/local-service-error.js";
import type { PostgresBinaries } from "./postgres-binaries.js";
import { serverUser, type ServerUser } from "../processes/server-user.js";

export const SUPERUSER = "postgres";

/** A service folder that holds a Postgres: `data`, `password`, `log`, `lock` and `service.json`. */
export interface PostgresData {
  readonly folder: string;
  readonly dataDirectory: string;
  readonly logFile: string;
  readonly password: string;
  /** The account that owns the data and runs the server; undefined when that is ourselves. */
  readonly user?: ServerUser;
}

export function dataDirectoryOf(folder: string): string {
  return join(folder, "data");
}

/**
 * Makes the data directory once; later calls keep it. An interrupted initdb leaves nothing that looks finished.
 * @throws LocalServiceError `POSTGRES_WRONG_VERSION` when another major version made the data
 */
export async function prepareData(
  folder: string,
  binaries: PostgresBinaries,
  { isEphemeral }: { isEphemeral: boolean },
): Promise<PostgresData> {
  const dataDirectory = dataDirectoryOf(folder);
  const isNew = !existsSync(dataDirectory);
  if (!isNew) checkVersion(dataDirectory, binaries.major);
  const user = isNew ? serverUser() : ownerOf(dataDirectory);
  const password = keepPassword(join(folder, "password"), user);
  if (isNew) await initialise(folder, { binaries, user, isEphemeral });
  return { folder, dataDirectory, logFile: join(folder, "log"), password, user };
}

/** The password of a folder that is in use. */
export function readPassword(folder: string): string {
  return readFileSync(join(folder, "password"), "utf8").trim();
}

function checkVersion(dataDirectory: string, wanted: number): void {
  const found = readFileSync(join(dataDirectory, "PG_VERSION"), "utf8").trim();
  if (found === String(wanted)) return;
  throw new LocalServiceError(
    "POSTGRES_WRONG_VERSION",
    `${dataDirectory} was made by Postgres ${found}, but this is Postgres ${wanted}: use another folder, or move this one away`,
  );
}

/** Data stays with the account that made it, even when a better one was added to the machine since. */
function ownerOf(dataDirectory: string): ServerUser | undefined {
  const { uid, gid } = statSync(dataDirectory);
  return process.getuid?.() === 0 ? { name: String(uid), uid, gid } : undefined;
}

function keepPassword(path: string, user?: ServerUser): string {
  if (!existsSync(path)) {
    writeFileSync(path, randomBytes(18).toString("base64url"), { mode: 0o600 });
    if (user) chownSync(path, user.uid, user.gid);
  }
  return readFileSync(path, "utf8").trim();
}

async function initialise(
  folder: string,
  { binaries, user, isEphemeral }: { binaries: PostgresBinaries; user?: ServerUser; isEphemeral: boolean },
): Promise<void> {
  const draft = join(folder, "data.new");
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (user) chownSync(draft, user.uid, user.gid);
  const { shareFolder } = binaries;
  const args = ["-D", draft, "-U", SUPERUSER, "--pwfile", join(folder, "password"), "--auth", "scram-sha-256"];
  args.push("--encoding", "UTF8", "--locale", "C");
  if (shareFolder) args.push("-L", shareFolder);
  if (isEphemeral) args.push("--no-sync");
  try {
    const identity = user && { uid: user.uid, gid: user.gid };
    await promisify(execFile)(binaries.initdb, args, { cwd: folder, env: binaries.env, ...identity });
  } catch (cause) {
    const details = (cause as { stderr?: string }).stderr;
    throw new LocalServiceError("POSTGRES_START_FAILED", `initdb failed in ${folder}: ${details ?? String(cause)}`, {
      cause,
      details,
    });
  }
  renameSync(draft, dataDirectoryOf(folder));
}
