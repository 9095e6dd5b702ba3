import { Module } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { callingHandler } from "./calling-handler.mjs";
import { chunkingHandler } from "./chunking-handler.mjs";
import { codeSchedule } from "./code-schedule.mjs";
import { DatabaseModule } from "./database-module.mjs";
import { hostileHandler } from "./hostile-handler.mjs";
import { recordingHandler } from "./recording-handler.mjs";
import { steppingHandler } from "./stepping-handler.mjs";
import { walkingHandler } from "./walking-handler.mjs";

/**
 * The root module. Its imports have the order that the documents require: our engine last.
 *
 * @typedef {{ databaseUrl: string, redisUrl?: string, types: string[], schedules?: (string | object)[] }} Served
 * @param {Served & { module?: object, api?: object }} options
 */
export function testAppModule({ databaseUrl, redisUrl, types, schedules = [], module: more = {}, api = {} }) {
  const database = DatabaseModule.register(databaseUrl);

  class HandlersModule {}
  Module({
    imports: [database],
    providers: [...types.map((type) => handlerOf(type, databaseUrl)), ...schedules.map(codeSchedule)],
  })(HandlersModule);

  class TestAppModule {}
  Module({
    imports: [
      database,
      HandlersModule,
      DelayTaskApiModule.forRoot({ dashboard: false, ...api }),
      DelayTaskModule.forRootAsync({
        imports: [database],
        inject: [DataSource],
        useFactory: (dataSource) => ({ dataSource, redis: redisUrl ?? null, ...more }),
      }),
    ],
  })(TestAppModule);
  return TestAppModule;
}

function handlerOf(type, databaseUrl) {
  if (type === "hostile") return hostileHandler(type);
  if (type === "calling") return callingHandler(type);
  if (type === "chunking") return chunkingHandler(type);
  if (type === "guarded") return recordingHandler(type, { breaker: { leastAttempts: 2, openFor: "1m" } });
  if (type === "walking") return walkingHandler(type, databaseUrl);
  return type === "stepping" ? steppingHandler(type, databaseUrl) : recordingHandler(type);
}
