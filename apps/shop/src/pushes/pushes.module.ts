import { Module } from "@nestjs/common";
import { PushGateway } from "./push-gateway.js";
import { PushesService } from "./pushes.service.js";
import { SendPushHandler } from "./send-push.handler.js";

/** Push messages, each at its own instant. */
@Module({ providers: [PushGateway, PushesService, SendPushHandler], exports: [PushesService] })
export class PushesModule {}
