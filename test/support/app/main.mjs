// A small Nest application for tests with real processes: handlers that record what runs, and the mounted API. It is
// plain JavaScript with decorators applied by hand, because it is spawned without a build. Its options are JSON in
// TEST_APP.
import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { ApiKeyRing } from "@tickwheel/api";
import { testAppModule } from "./app-module.mjs";

const options = JSON.parse(process.env.TEST_APP);
const application = await NestFactory.create(testAppModule(options), new FastifyAdapter(), { abortOnError: false });
application.enableShutdownHooks();
await application.get(ApiKeyRing, { strict: false }).ensureFirstKey(options.apiKey, "default");
// As in the stand-alone node: beyond Node's 511 the system drops connections, and their callers try again only after
// seconds.
await application.listen({ port: options.port, host: "127.0.0.1", backlog: 4_096 });
