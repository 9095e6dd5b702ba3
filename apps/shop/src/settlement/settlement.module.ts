import { Module } from "@nestjs/common";
import { SettlementHandlers } from "./settlement.handlers.js";
import { SettlementService } from "./settlement.service.js";

/** Settles each day's payments, split into members of a batch. */
@Module({ providers: [SettlementService, SettlementHandlers], exports: [SettlementService] })
export class SettlementModule {}
