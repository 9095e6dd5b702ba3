#!/usr/bin/env node
import { Logger } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { ApiKeyRing } from "@tickwheel/api";
import { outliveOutput } from "@tickwheel/observability";
import "reflect-metadata";
import { parseSettings, SettingsError, type ShopOptions } from "./settings.js";
import { ShopModule } from "./shop.module.js";

/** What a full bulk call of the scheduler's API needs. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;
/** A type stands in an address, where Fastify takes 100 characters by default. */
const LONGEST_TYPE = 128;
const NAMESPACE = "default";

async function start(settings: ShopOptions): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    ShopModule.forRoot(settings),
    new FastifyAdapter({
      forceCloseConnections: true,
      bodyLimit: BODY_LIMIT_BYTES,
      routerOptions: { maxParamLength: LONGEST_TYPE },
    }),
    { abortOnError: false },
  );
  app.enableShutdownHooks(["SIGINT", "SIGTERM", "SIGHUP"]);
  try {
    const madeKey = await app.get(ApiKeyRing).ensureFirstKey(settings.apiKey, NAMESPACE);
    if (madeKey) process.stdout.write(`The API key of the first administrator, shown this once: ${madeKey}\n`);
    await app.listen(settings.port, settings.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

/** A parent that started this shop with a channel takes it along, also when it dies without a word. */
function endWithParent(starting: Promise<NestFastifyApplication>): void {
  if (!process.connected) return;
  process.once("disconnect", () => void starting.then((app) => app.close()).finally(() => process.exit(0)));
}

function explain(error: unknown, { host, port }: { host: string; port: number }): string {
  const { code } = error as { code?: unknown };
  if (code === "EADDRINUSE") return `Port ${port} of ${host} is in use: set PORT to another one.`;
  if (code === "ECONNREFUSED" || code === "ENOTFOUND")
    return `Postgres cannot be reached: check DATABASE_URL. (${String(error)})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function main(): Promise<void> {
  let settings: ShopOptions;
  try {
    settings = parseSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  try {
    const starting = start(settings);
    endWithParent(starting);
    const app = await starting;
    const url = await app.getUrl();
    new Logger("Shop").log(`Orders: ${url}/orders  API: ${url}/v1, ${url}/graphql  Dashboard: ${url}/dashboard`);
  } catch (error) {
    process.stderr.write(`${explain(error, settings)}\n`);
    process.exit(1);
  }
}

outliveOutput();
await main();
