import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import { PushGateway } from "./push-gateway.js";
import { type Push, SendPush } from "./send-push.task.js";

/** Hands a message to the gateway, at each attempt with the same key. */
@Injectable()
@DelayTaskHandler(SendPush)
export class SendPushHandler {
  constructor(private readonly gateway: PushGateway) {}

  async handle({ payload }: DelayTask<Push>, { idempotencyKey }: DelayTaskContext): Promise<void> {
    await this.gateway.send(payload, idempotencyKey);
  }
}
