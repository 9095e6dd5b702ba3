// The servers that the workers of a run leave behind for the files that follow: where they live, and their end.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a server may take to end. */
const END_LIMIT_MS = 10_000;

/** A folder for them, which every account may enter: Postgres runs under one of its own. */
export function makeServersFolder() {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-servers-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** Ends the servers in the folder, and removes it. */
export async function endServers(folder) {
  for (const name of readdirSync(folder)) await endServer(join(folder, name, "data/postmaster.pid"));
  rmSync(folder, { recursive: true, force: true });
}

async function endServer(pidFile) {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  signal(pid, "SIGQUIT");
  const endMs = Date.now() + END_LIMIT_MS;
  while (signal(pid, 0)) {
    if (Date.now() > endMs) return signal(pid, "SIGKILL");
    await sleep(20);
  }
}

/** False: it is not there. */
function signal(pid, what) {
  try {
    process.kill(pid, what);
    return true;
  } catch {
    return false;
  }
}
