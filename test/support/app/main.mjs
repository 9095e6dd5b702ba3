// A small Nest application for tests with real processes: handlers that record what runs, and the mounted API.
// Plain JavaScript, decorators applied by hand: it is spawned as it is. Its options are JSON in TEST_APP.
import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { ApiKeyRing } from "@tickwheel/api";
import { testAppModule } from "./app-module.mjs";

const options = JSON.parse(process.env.TEST_APP);
const application = await NestFactory.create(testAppModule(options), new FastifyAdapter(), { abortOnError: false });
application.enableShutdownHooks();
await application.get(ApiKeyRing, { strict: false }).ensureFirstKey(options.apiKey, "default");
// As the stand-alone node does it: of what exceeds the 511 of Node the system drops connections, and their callers try
// again after seconds.
await application.listen({ port: options.port, host: "127.0.0.1", backlog: 4_096 });
