import { Module } from "@nestjs/common";
import { RedPacketsService } from "./red-packets.service.js";
import { RefundRedPacketHandler } from "./refund-red-packet.handler.js";

/** Red packets, and the task that gives back what nobody took. */
@Module({ providers: [RedPacketsService, RefundRedPacketHandler], exports: [RedPacketsService] })
export class RedPacketsModule {}
