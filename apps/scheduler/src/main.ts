#!/usr/bin/env node
import "reflect-metadata";
import { createRequire } from "node:module";
import { ServiceStack } from "@tickwheel/local-services";
import { outliveOutput } from "@tickwheel/observability";
import { Command } from "commander";
import { logSettings, parseEnvironment } from "./environment.js";
import { NodeLogger } from "./node-logger.js";
import { explainFailure } from "./start-failure.js";
import { startNode } from "./start-node.js";

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
  TICKWHEEL_LOG_FORMAT             json or text; without it text on a terminal outside production, else json
  TICKWHEEL_LOG_LEVEL              debug, info (without it), warn or error
  TICKWHEEL_TRACING                false: nothing is traced
  TICKWHEEL_TRACING_BAGGAGE        keys of baggage that travels with tasks, with commas
  TICKWHEEL_<OPTION>               a named option, such as TICKWHEEL_HEARTBEAT_INTERVAL_MS`;

/**
 * Runs a node until a signal: then it drains, and what it started stops. A start that fails ends with one message and
 * code 1.
 */
async function start(): Promise<void> {
  const stack = new ServiceStack().stopOnExit();
  const logger = new NodeLogger(logSettings(process.env, process.stdout.isTTY));
  try {
    await startNode(parseEnvironment(process.env), stack, logger);
  } catch (error) {
    const message = explainFailure(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
    logger.printFailure(message);
    await stack.stop();
    process.exit(1);
  }
}

outliveOutput();
const program = new Command("tickwheel").description("A durable scheduler of delayed tasks").version(version);
program.command("start", { isDefault: true }).description("run a node").action(start);
program.addHelpText("after", ENVIRONMENT_HELP);
await program.parseAsync();
