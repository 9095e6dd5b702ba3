import { type AbstractHttpAdapter, NestFactory } from "@nestjs/core";
import { type INestApplication, Module, type ModuleMetadata } from "@nestjs/common";
import { ExpressAdapter } from "@nestjs/platform-express";
import { ApiKeyRing } from "@tickwheel/api";
import { DelayTaskService } from "@tickwheel/nestjs";
import { ApiClient } from "../api-client.js";
import { newTestKey } from "../cluster.js";

export interface HostedApi {
  app: INestApplication;
  tasks: DelayTaskService;
  /** With an administrator's key. */
  api: ApiClient;
}

/**
 * Starts an application whose root module has these parts, our API and engine among them, and listens.
 *
 * @param key the administrator's; default: a new one
 * @param adapter default: Express
 */
export async function hostApi(
  parts: ModuleMetadata,
  key = newTestKey(),
  adapter: AbstractHttpAdapter = new ExpressAdapter(),
): Promise<HostedApi> {
  @Module(parts)
  class RootModule {}
  const app = await NestFactory.create(RootModule, adapter, { logger: false, abortOnError: false });
  try {
    await app.get(ApiKeyRing).ensureFirstKey(key, "default");
    await app.listen(0, "127.0.0.1");
  } catch (error) {
    await app.close();
    throw error;
  }
  return { app, tasks: app.get(DelayTaskService, { strict: false }), api: new ApiClient(await app.getUrl(), key) };
}
