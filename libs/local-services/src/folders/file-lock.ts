import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { poll } from "../processes/poll-until.js";
import { LocalServiceError } from "../processes/local-service-error.js";
import { isRunning, ownIdentity, type ProcessIdentity } from "../processes/process-identity.js";

interface LockHolder extends ProcessIdentity {
  /** Unique per acquisition, so that one dead holder is never confused with the next. */
  readonly id: string;
}

/**
 * Runs `work` while holding the lock file `path`, alone among all processes and calls on this machine.
 *
 * The file appears by a hard link, so it is never seen half written. A lock whose holder died is broken by one process
 * alone: the one that holds the lock of that breaking, which is taken in the same way.
 * @throws LocalServiceError `LOCK_TIMEOUT` when a living holder keeps the lock longer than `limitMs`
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  { limitMs = 60_000 }: { limitMs?: number } = {},
): Promise<T> {
  await acquire(path, limitMs);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire(path: string, limitMs: number): Promise<void> {
  const acquired = await poll(() => tryAcquire(path, limitMs), { limitMs, everyMs: 50 });
  if (acquired) return;
  throw new LocalServiceError("LOCK_TIMEOUT", `${path} is held by process ${readHolder(path)?.pid} for too long`);
}

async function tryAcquire(path: string, limitMs: number): Promise<true | undefined> {
  if (linkInPlace(path)) return true;
  const holder = readHolder(path);
  if (!holder || isRunning(holder)) return undefined;
  await withLock(
    `${path}.${holder.id}`,
    async () => {
      if (readHolder(path)?.id === holder.id) rmSync(path);
    },
    { limitMs },
  );
  return linkInPlace(path) ? true : undefined;
}

function linkInPlace(path: string): boolean {
  const holder: LockHolder = { ...ownIdentity(), id: randomUUID() };
  const draft = `${path}.${holder.id}.new`;
  writeFileSync(draft, JSON.stringify(holder));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

function readHolder(path: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as LockHolder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
