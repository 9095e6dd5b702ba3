import { Inject, Injectable, Logger, type OnModuleInit } from "@nestjs/common";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "../keys/api-node.js";

const LIMITS =
  "The API is mounted in this application: time-outs of headers and of idle connections, how many connections there may be, whose " +
  "X-Forwarded-For counts, and on Fastify that a part of an address may have 128 characters (maxParamLength), are to be set on its own server (README of @tickwheel/api).";
const NO_KEY =
  "There is no API key yet, so every call is refused: app.get(ApiKeyRing).ensureFirstKey(null, namespace) makes the first one and answers its text.";

/**
 * Says at the start what an application that mounts the API has to see to itself: limits of its server, and the first
 * key where there is none.
 */
@Injectable()
export class MountNotice implements OnModuleInit {
  private readonly logger = new Logger("Tickwheel API");

  constructor(@Inject(API_NODE) private readonly node: Pick<DelayTaskNode, "apiKeys" | "beforeStart">) {}

  onModuleInit(): void {
    this.logger.log(LIMITS);
    this.node.beforeStart({ doing: "looking whether there is an API key", run: () => this.lookForKey() });
  }

  private async lookForKey(): Promise<void> {
    if (!(await this.node.apiKeys.hasAny())) this.logger.warn(NO_KEY);
  }
}
