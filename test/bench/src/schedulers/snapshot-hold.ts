import { Client } from "pg";
import { holdOnStandby } from "./standby-hold.js";
import type { Servers } from "./servers.js";

/**
 * Who holds a snapshot: a transaction that has read, a standby on which one has read, the slot of a standby that is
 * gone, a prepared transaction.
 */
export const holderNames = ["transaction", "slot", "prepared", "standby"] as const;
export type HolderName = (typeof holderNames)[number];

/** Lets a snapshot go. */
export type Release = () => Promise<void>;

/** What Postgres needs to be set to, for the holder. */
export function settingsForHolder(holder: HolderName | null): Record<string, number> {
  return holder === "prepared" ? { max_prepared_transactions: 1 } : {};
}

/** Has a snapshot of the contestants' database held, until it is let go. */
export async function holdSnapshot(servers: Servers, holder: HolderName): Promise<Release> {
  if (holder === "slot" || holder === "standby") return holdOnStandby(servers, { isKilled: holder === "slot" });
  const client = new Client({ connectionString: servers.postgresUrl });
  // A server that is stopped because the job has failed is no fault of its own.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  // One that is prepared holds by its id alone, so it needs one.
  await client.query(holder === "prepared" ? "SELECT pg_current_xact_id()" : "SELECT count(*) FROM pg_class");
  if (holder === "transaction") return () => client.end();
  await client.query("PREPARE TRANSACTION 'held'");
  await client.end();
  return () => servers.run(["ROLLBACK PREPARED 'held'"]);
}
