import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler, type PayloadOf } from "@tickwheel/nestjs";
import { addToWallet, closeRedPacket } from "./red-packet-rows.js";
import { RefundRedPacket } from "./refund-red-packet.task.js";

/**
 * Gives the rest of a red packet back to its sender. The packet, the wallet and the task's completion are one
 * transaction: the money is added exactly once, whatever dies when.
 */
@Injectable()
@DelayTaskHandler(RefundRedPacket)
export class RefundRedPacketHandler {
  async handle({ payload }: DelayTask<PayloadOf<typeof RefundRedPacket>>, context: DelayTaskContext): Promise<void> {
    await context.transaction(async (manager) => {
      const rest = await closeRedPacket(manager, payload.packetId);
      if (rest) await addToWallet(manager, rest.senderId, rest.cents);
      return { refundedCents: rest?.cents ?? 0 };
    });
  }
}
