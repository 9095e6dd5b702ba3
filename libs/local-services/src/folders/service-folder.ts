import {
  mkdtempSync,
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { withLock } from "./file-lock.js";
import { ephemeralRoot } from "./folders.js";
import { findPostmaster } from "../processes/postmaster-pid.js";
import { isRunning, ownIdentity, type ProcessIdentity } from "../processes/process-identity.js";
import { ServerProcess } from "../processes/server-process.js";

export type ServiceKind = "postgres" | "redis";

/** Who answers for the server in a service folder. */
export interface ServiceRecord {
  readonly kind: ServiceKind;
  /** The process that started the server, or adopted it. */
  readonly owner: ProcessIdentity;
  /** The server itself, once it was started. */
  readonly server?: ProcessIdentity;
}

const RECORD_FILE = "service.json";
/** A folder without a record is being made; after this time its maker has died. */
const MAKING_LIMIT_MS = 60_000;

/** Writes down that this process answers for the server in `folder`. */
export function recordOwnership(folder: string, kind: ServiceKind, server?: ProcessIdentity): void {
  const record: ServiceRecord = { kind, owner: ownIdentity(), server };
  const draft = join(folder, `${RECORD_FILE}.${process.pid}`);
  writeFileSync(draft, JSON.stringify(record));
  renameSync(draft, join(folder, RECORD_FILE));
}

export function readRecord(folder: string): ServiceRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD_FILE), "utf8")) as ServiceRecord;
  } catch {
    return undefined;
  }
}

/** Removes what dead runs left behind, then makes a fresh folder for a server that this process owns. */
export async function makeEphemeralFolder(kind: ServiceKind, root: string = ephemeralRoot()): Promise<string> {
  await removeAbandoned(root);
  const folder = mkdtempSync(join(root, `${kind}-`));
  chmodSync(folder, 0o755);
  recordOwnership(folder, kind);
  return folder;
}

/** Stops each server under `root` whose owner has died, and deletes its folder. The folders are the registry. */
export async function removeAbandoned(root: string): Promise<void> {
  await withLock(join(root, "lock"), async () => {
    for (const name of readdirSync(root)) {
      const folder = join(root, name);
      if (/^(postgres|redis)-/.test(name) && isAbandoned(folder)) await removeService(folder);
    }
  });
}

function isAbandoned(folder: string): boolean {
  const record = readRecord(folder);
  if (record) return !isRunning(record.owner);
  // Its owner may just have removed it.
  const madeMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  return madeMs !== undefined && Date.now() - madeMs > MAKING_LIMIT_MS;
}

async function removeService(folder: string): Promise<void> {
  const server = findServer(folder);
  // A test may have died while it kept its server paused.
  server?.signal("SIGCONT");
  await server?.stop([
    { signal: "SIGQUIT", limitMs: 5_000 },
    { signal: "SIGKILL", limitMs: 5_000 },
  ]);
  removeFolder(folder);
}

/** The running server of a folder: the recorded process, or the one that Postgres itself wrote down. */
function findServer(folder: string): ServerProcess | undefined {
  const { server } = readRecord(folder) ?? {};
  const identity = server && isRunning(server) ? server : findPostmaster(join(folder, "data"))?.identity;
  return identity && ServerProcess.adopt(identity, "SIGQUIT");
}

/** Deletes a folder in which a dying server may still be writing. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
