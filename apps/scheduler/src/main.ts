#!/usr/bin/env node
import { createRequire } from "node:module";
import { outliveOutput } from "@tickwheel/observability";
import { Command } from "commander";
import { migrateCommand } from "./migrate-command.js";
import { sqlCommand } from "./sql-command.js";
import { triggerCommand } from "./trigger-command.js";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

const ENVIRONMENT_HELP = `
Environment:
  PORT                             where the API listens (3000)
  DATABASE_URL                     Postgres; without it an embedded one in .tickwheel/
  REDIS_URL                        Redis; without it coordination through Postgres alone
  TICKWHEEL_API_KEY                the first administrator key, at least 32 characters
  TICKWHEEL_ROLES                  api,engine
  TICKWHEEL_WEBHOOK_ALLOWED_HOSTS  host[:port] and networks with commas
  TICKWHEEL_WEBHOOK_SECRETS        what signs webhooks, with commas: all of them sign
  TICKWHEEL_BROKERS                message brokers as JSON, such as {"shop":{"kind":"nats","url":"nats://host","subject":"orders"}}
  TICKWHEEL_LOG_FORMAT             json or text; without it text on a terminal outside production, else json
  TICKWHEEL_LOG_LEVEL              debug, info (without it), warn or error
  TICKWHEEL_TRACING                false: nothing is traced
  TICKWHEEL_TRACING_BAGGAGE        keys of baggage that travels with tasks, with commas
  TICKWHEEL_<OPTION>               a named option, such as TICKWHEEL_HEARTBEAT_INTERVAL_MS`;

/** What a node needs is loaded only where one is run: the other commands answer at once. */
async function start(): Promise<void> {
  const { runNode } = await import("./run-node.js");
  await runNode();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

outliveOutput();
const program = new Command("tickwheel").description("A durable scheduler of delayed tasks").version(version);
program.command("start", { isDefault: true }).description("run a node").action(start);
for (const command of [migrateCommand, sqlCommand, triggerCommand]) program.addCommand(command(print));
program.addHelpText("after", ENVIRONMENT_HELP);
await program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
