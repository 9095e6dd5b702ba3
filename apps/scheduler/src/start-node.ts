import { createServer } from "node:net";
import { resolve } from "node:path";
import { HttpAdapterHost, NestFactory } from "@nestjs/core";
import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import { ApiKeyRing, ProblemFilter } from "@tickwheel/api";
import { attachOrStartPostgres, type ServiceStack } from "@tickwheel/local-services";
import { DelayTaskNode } from "@tickwheel/nestjs";
import { limitConnections } from "./connection-limits.js";
import { describeEnvironment, type Environment, maskUrl } from "./environment.js";
import { EMBEDDED_FOLDER } from "./embedded-folder.js";
import { httpAdapter } from "./http-adapter.js";
import type { NodeLogger } from "./node-logger.js";
import { SchedulerModule } from "./scheduler.module.js";
import { portInUse } from "./start-failure.js";

const CONNECTIONS = { all: 5_000, address: 1_000 };
const HOST = "0.0.0.0";
/**
 * Connections that wait to be taken. The system drops further ones, no matter who makes them, and they are tried again
 * after one, three, seven seconds.
 */
const BACKLOG = 4_096;

/**
 * Starts a node and what it needs. It listens before it is ready: where Postgres is away it waits, live and not ready.
 * What it starts is put on `stack`, to be stopped in the opposite order: the application drains before its Postgres
 * goes.
 *
 * @param logger takes the lines for the operator, too
 */
export async function startNode(environment: Environment, stack: ServiceStack, logger: NodeLogger): Promise<void> {
  for (const line of describeEnvironment(environment)) logger.print(line);
  await requireFreePort(environment.port);
  const databaseUrl = environment.databaseUrl ?? (await embeddedPostgres(stack));
  const app = await createApp({ ...environment, databaseUrl }, logger);
  await stack.add({ stop: () => app.close() });
  const node = app.get(DelayTaskNode, { strict: false });
  let firstKey: string | null = null;
  if (environment.roles.includes("api")) {
    const run = async (): Promise<void> => void (firstKey ??= await ensureFirstKey(app, environment.apiKey));
    node.beforeStart({ doing: "making the first key", run });
  }
  await app.init();
  limitConnections(app.getHttpServer(), { ...CONNECTIONS, trusted: environment.trustedProxies });
  await app.listen({ port: environment.port, host: HOST, backlog: BACKLOG });
  const address = app.getHttpServer().address() as { port: number };
  if (!node.isStarted)
    logger.print(
      `Tickwheel node ${node.label} listens on port ${address.port}; it is not ready before Postgres answers.`,
    );
  await node.started;
  if (!node.isStarted) return;
  for (const line of summary(app, { ...environment, databaseUrl, port: address.port }, firstKey)) logger.print(line);
}

async function createApp(
  environment: Environment & { databaseUrl: string },
  logger: NodeLogger,
): Promise<NestFastifyApplication> {
  const adapter = httpAdapter(environment.trustedProxies);
  const module = SchedulerModule.forEnvironment(environment);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    abortOnError: false,
    // Nest logs the error of a failed start with its stack; it stays in the buffer, for the one message that explains
    // it.
    bufferLogs: true,
    autoFlushLogs: false,
  });
  app.flushLogs();
  app.useGlobalFilters(new ProblemFilter(app.get(HttpAdapterHost)));
  return app;
}

async function embeddedPostgres(stack: ServiceStack): Promise<string> {
  const postgres = await attachOrStartPostgres(resolve(EMBEDDED_FOLDER));
  await stack.add(postgres);
  return postgres.url;
}

async function ensureFirstKey(app: NestFastifyApplication, given: string | null): Promise<string | null> {
  const { namespace } = app.get(DelayTaskNode, { strict: false }).options;
  return app.get(ApiKeyRing, { strict: false }).ensureFirstKey(given, namespace);
}

function summary(
  app: NestFastifyApplication,
  { port, databaseUrl, redisUrl, roles }: Environment & { databaseUrl: string },
  firstKey: string | null,
): string[] {
  const node = app.get(DelayTaskNode, { strict: false });
  const base = `http://localhost:${port}`;
  const api = [
    `API         ${base}/v1`,
    `API docs    ${base}/docs/`,
    `Dashboard   ${base}/dashboard/`,
    `GraphQL     ${base}/graphql`,
  ];
  return [
    `Tickwheel node ${node.label} is up, roles ${roles.join(" and ")}.`,
    ...(roles.includes("api") ? api : [`Health      ${base}/health/ready`]),
    `Postgres    ${maskUrl(databaseUrl)}, at most ${node.connectionCount} connections`,
    `Redis       ${redisUrl === null ? "none: coordination through Postgres alone" : maskUrl(redisUrl)}`,
    ...(firstKey === null ? [] : [`First administrator key, shown only now: ${firstKey}`]),
  ];
}

/** Fails before anything is started, so that a second node on a port does not join the cluster for a moment. */
async function requireFreePort(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolveFree, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? portInUse(port) : error),
    );
    server.listen(port, HOST, () => server.close(() => resolveFree()));
  });
}
