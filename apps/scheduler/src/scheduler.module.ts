import { type DynamicModule, Module } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import type { Environment } from "./environment.js";
import { LogTaskHandler } from "./log-task.handler.js";

/** One node: the API and the engine, or one of them. A node without the API answers health checks and metrics only. */
@Module({})
export class SchedulerModule {
  static forEnvironment(environment: Environment & { databaseUrl: string }): DynamicModule {
    const { roles, databaseUrl: url, redisUrl: redis, webhookAllowedHosts, webhookSecrets, scheduler } = environment;
    const { transactionPooling, brokers, isTracing, tracingBaggage: baggage } = environment;
    const listenUrl = environment.listenUrl ?? undefined;
    const nodeName = environment.nodeName ?? undefined;
    return {
      module: SchedulerModule,
      providers: roles.includes("engine") ? [LogTaskHandler] : [],
      imports: [
        roles.includes("api")
          ? DelayTaskApiModule.forRoot({ notice: false, metrics: "process" })
          : DelayTaskApiModule.forHealth({ metrics: "process" }),
        DelayTaskModule.forRoot({
          ...scheduler,
          url,
          redis,
          roles,
          webhookAllowedHosts,
          webhookSecrets,
          brokers,
          transactionPooling,
          listenUrl,
          nodeName,
          tracing: isTracing && { baggage },
          engine: roles.includes("engine"),
          exitWhenBlocked: true,
        }),
      ],
    };
  }
}
