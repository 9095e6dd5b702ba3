import { Module, type Provider } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskApiModule } from "@tickwheel/api";
import { ServiceStack } from "@tickwheel/local-services";
import { DelayTaskModule, type DelayTaskModuleOptions, DelayTaskService } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { type HostedApi, hostApi } from "./hosted-api.js";
import { OwnPostgres } from "../servers/own-postgres.js";

/** An application on a Postgres of its own. */
export interface TaskApplication {
  tasks: DelayTaskService;
  /** Closes the application, then its connections, then its Postgres. */
  stop(): Promise<void>;
}

export interface HostedTasks extends TaskApplication, Pick<HostedApi, "api"> {
  /** The application's own, on which it begins transactions. */
  dataSource: DataSource;
}

/** Starts an application that listens, with our API, our engine and this provider, on a DataSource of its own. */
export function hostTasks(handlers: Provider): Promise<HostedTasks> {
  return onPostgres(async (url, stack) => {
    const dataSource = await new DataSource({ type: "postgres", url }).initialize();
    await stack.add({ stop: () => dataSource.destroy() });
    const { app, tasks, api } = await hostApi({
      providers: [handlers],
      imports: [DelayTaskApiModule.forRoot(), DelayTaskModule.forRoot({ dataSource, heartbeat: "loop" })],
    });
    await stack.add({ stop: () => app.close() });
    return { tasks, api, dataSource };
  });
}

/** Starts an application that does not listen, with `DelayTaskModule` and these providers, without Redis. */
export function openTasks(options: DelayTaskModuleOptions, providers: Provider[] = []): Promise<TaskApplication> {
  return onPostgres(async (url, stack) => {
    @Module({ imports: [DelayTaskModule.forRoot({ url, redis: null, ...options })], providers })
    class RootModule {}
    const app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
    await stack.add({ stop: () => app.close() });
    return { tasks: app.get(DelayTaskService) };
  });
}

async function onPostgres<T>(
  start: (url: string, stack: ServiceStack) => Promise<T>,
): Promise<T & Pick<TaskApplication, "stop">> {
  const stack = new ServiceStack();
  try {
    const { url } = await stack.add(await OwnPostgres.start());
    return { ...(await start(url, stack)), stop: () => stack.stop() };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
