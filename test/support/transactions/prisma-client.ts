import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { HUNG_MS } from "../eventually.js";
import { repositoryRoot } from "../node-process.js";

/**
 * Generates a client of Prisma into a folder, from the schema that is there, without a network.
 *
 * Prisma's command looks for its schema engine before everything, and downloads it. Nothing of it is used to generate a
 * client, so any program will do.
 */
export async function generatePrismaClient(folder: string, schema: string): Promise<void> {
  const file = join(folder, "schema.prisma");
  writeFileSync(file, schema);
  const prisma = join(repositoryRoot, "node_modules/prisma/build/index.js");
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" };
  await promisify(execFile)(process.execPath, [prisma, "generate", "--schema", file], { env, timeout: HUNG_MS });
}
