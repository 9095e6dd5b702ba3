import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { PostgresService } from "@tickwheel/local-services";
import { Client } from "pg";
import type { Servers } from "./servers.js";

const SLOT = "held";
const POLL_MS = 200;
const LIMIT_MS = 60_000;

/**
 * Makes a standby with a slot and `hot_standby_feedback` on, and has a transaction read on it.
 * @param isKilled ends the standby at once: then the slot alone holds
 * @returns what lets go: the standby is stopped, and the slot dropped
 */
export async function holdOnStandby(
  servers: Servers,
  { isKilled }: { isKilled: boolean },
): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-standby-"));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await servers.run([`SELECT pg_create_physical_replication_slot('${SLOT}', true)`]);
    await copyServer(servers, folder);
    const standby = await startStandby(servers, folder);
    await readOn(standby.url);
    await untilSlotHolds(servers);
    if (isKilled) await standby.stop();
    return async () => {
      if (!isKilled) await standby.stop();
      await servers.run([`SELECT pg_drop_replication_slot('${SLOT}')`]);
      removeFolder();
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** A transaction that has read, until the server stops. */
async function readOn(url: string): Promise<void> {
  const reader = new Client({ connectionString: url });
  reader.on("error", () => undefined);
  await reader.connect();
  await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await reader.query("SELECT count(*) FROM pg_class");
}

/** A base backup, by the statements that are there for it: not every package of Postgres has `pg_basebackup`. */
async function copyServer(servers: Servers, folder: string): Promise<void> {
  const client = new Client({ connectionString: servers.postgresUrl });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    for (const part of ["data", "password"])
      await promisify(execFile)("cp", ["-a", join(servers.postgresFolder, part), folder]);
    const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
    writeFileSync(join(folder, "data/backup_label"), rows[0]!.labelfile);
    writeFileSync(join(folder, "data/standby.signal"), "");
    rmSync(join(folder, "data/postmaster.pid"), { force: true });
    await promisify(execFile)("chown", ["-R", `--reference=${join(folder, "data")}`, folder]);
  } finally {
    await client.end();
  }
}

function startStandby(servers: Servers, folder: string): Promise<PostgresService> {
  const { hostname, port, username, password } = new URL(servers.postgresUrl);
  const primary = `host=${hostname} port=${port} user=${username} password=${password}`;
  const settings = {
    primary_conninfo: primary,
    primary_slot_name: SLOT,
    hot_standby_feedback: "on",
    max_standby_streaming_delay: "-1",
    wal_receiver_status_interval: 1,
  };
  return servers.startStandby(folder, settings);
}

async function untilSlotHolds(servers: Servers): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await servers.slotHolds(SLOT))) {
    if (performance.now() > endMs) throw new Error("the standby has nothing held by its slot");
    await wait(POLL_MS);
  }
}
