import { resolve } from "node:path";
import { attachOrStartPostgres } from "@tickwheel/local-services";
import { EMBEDDED_FOLDER } from "./embedded-folder.js";

/** What `--help` of such a command says of it. */
export const WHICH_DATABASE = "\nThe database is that of DATABASE_URL, else the embedded one in .tickwheel/.";

/** Works in the database of the environment; an embedded one that is not running runs meanwhile. */
export async function inDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const given = process.env["DATABASE_URL"];
  if (given) return work(given);
  const embedded = await attachOrStartPostgres(resolve(EMBEDDED_FOLDER));
  try {
    return await work(embedded.url);
  } finally {
    await embedded.stop();
  }
}
