import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { drizzleTransactions, kyselyTransactions, pgTransactions, prismaTransactions } from "@tickwheel/nestjs";
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text } from "drizzle-orm/pg-core";
import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from "kysely";
import { type ClientBase, Pool } from "pg";
import { repositoryRoot } from "../node-process.js";
import { generatePrismaClient } from "./prisma-client.js";
import type { NamedLibrary, TransactionLibrary } from "./transaction-library.js";

/** A pool as an application makes it. Between two statements it hears nothing of a connection. */
function poolOf(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 5 });
  pool.on("error", () => undefined);
  return pool;
}

function openPg(url: string): Promise<TransactionLibrary> {
  const pool = poolOf(url);
  const adapter = pgTransactions(pool);
  return Promise.resolve({
    adapter,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const value = await work(client);
        await client.query("COMMIT");
        return value;
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
    note: (client, line) => (client as ClientBase).query("INSERT INTO notes VALUES ($1)", [line]),
    untransacted: pool,
    close: () => pool.end(),
  });
}

interface Database {
  notes: { text: string };
}

function openKysely(url: string): Promise<TransactionLibrary> {
  const pool = poolOf(url);
  // A plugin that renames columns: it must not rename those of Tickwheel.
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] });
  return Promise.resolve({
    adapter: kyselyTransactions(db, pool),
    transaction: (work) => db.transaction().execute(work),
    note: (trx, line) => (trx as Transaction<Database>).insertInto("notes").values({ text: line }).execute(),
    untransacted: db,
    close: () => db.destroy(),
  });
}

const notes = pgTable("notes", { text: text() });

function openDrizzle(url: string): Promise<TransactionLibrary> {
  const pool = poolOf(url);
  const db = drizzle(pool);
  return Promise.resolve({
    adapter: drizzleTransactions(db),
    transaction: (work) => db.transaction(work),
    note: (tx, line) => (tx as typeof db).insert(notes).values({ text: line }),
    untransacted: db,
    close: () => pool.end(),
  });
}

const PRISMA_SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "./client"
}
datasource db {
  provider = "postgresql"
}
model Note {
  text String @id
  @@map("notes")
}
`;

/** What the test uses of the generated client; docs/guides/transactions.md is compiled with the whole of it. */
interface NotesTransaction {
  note: { create(row: { data: { text: string } }): Promise<unknown> };
  $queryRawUnsafe(sql: string, ...values: unknown[]): Promise<unknown>;
}
interface NotesClient extends NotesTransaction {
  $transaction<T>(work: (tx: NotesTransaction) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

async function openPrisma(url: string): Promise<TransactionLibrary> {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-prisma-"));
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  await generatePrismaClient(folder, PRISMA_SCHEMA);
  const { PrismaClient } = (await import(join(folder, "client/client.ts"))) as {
    PrismaClient: new (options: { adapter: PrismaPg }) => NotesClient;
  };
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  return {
    adapter: prismaTransactions(prisma),
    transaction: (work) => prisma.$transaction(work),
    note: (tx, line) => (tx as NotesTransaction).note.create({ data: { text: line } }),
    untransacted: prisma,
    close: () => prisma.$disconnect(),
  };
}

/** The libraries that have an adapter. */
export const transactionLibraries: readonly NamedLibrary[] = [
  { name: "pg", open: openPg },
  { name: "Kysely", open: openKysely },
  { name: "Drizzle", open: openDrizzle },
  { name: "Prisma", open: openPrisma },
];
