import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { Controller, Get, type INestApplication, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

@Controller("own")
class OwnController {
  @Get()
  get(): Promise<string> {
    return Promise.resolve("own");
  }
}

let postgres: TestPostgres;
let databaseUrl: string;
let app: INestApplication | null = null;
let port: number;

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase("pipelining");
});
afterEach(async () => {
  await app?.close();
  app = null;
});
afterAll(() => postgres.stop());

async function start(adapter: FastifyAdapter | ExpressAdapter): Promise<void> {
  @Module({
    imports: [
      DelayTaskApiModule.forRoot({ dashboard: false }),
      DelayTaskModule.forRoot({ url: databaseUrl, redis: null, engine: false }),
    ],
    controllers: [OwnController],
  })
  class RootModule {}
  app = await NestFactory.create<INestApplication>(RootModule, adapter as ExpressAdapter, { logger: false });
  await app.listen(0, "127.0.0.1");
  port = (app.getHttpServer().address() as { port: number }).port;
}

/** Sends this many requests in one packet, and one more that closes the connection; returns how many were answered. */
async function answersTo(path: string, times: number): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  const ask = `GET ${path} HTTP/1.1\r\nhost: a\r\n`;
  socket.on("error", () => undefined).write(`${`${ask}\r\n`.repeat(times - 1)}${ask}connection: close\r\n\r\n`);
  const answers = await text(socket).catch(() => "");
  return answers.split("HTTP/1.1 200").length - 1;
}

describe.each([
  ["Fastify", () => new FastifyAdapter()],
  ["Express", () => new ExpressAdapter()],
])("mounted on %s", (_name, adapter) => {
  test("four requests to Tickwheel's routes may wait on a connection, a fifth ends it", async () => {
    await start(adapter());
    expect(await answersTo("/health/live", 4)).toBe(4);
    expect(await answersTo("/health/live", 5)).toBe(0);
    expect(await answersTo("/v1/tasks", 700)).toBe(0);
    expect(await answersTo("/health/live", 1)).toBe(1);
  });

  test("requests to the application's own routes on a connection are not counted", async () => {
    await start(adapter());
    expect(await answersTo("/own", 50)).toBe(50);
  });
});
