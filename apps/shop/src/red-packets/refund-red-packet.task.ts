import { defineTask } from "@tickwheel/nestjs";

/** Gives back what nobody took of a red packet. The task's key is the packet's id. */
export const RefundRedPacket = defineTask<{ packetId: string }>("red-packet.refund", { maxAttempts: 10 });

/** How long a red packet may be taken from. */
export const RED_PACKET_LIFETIME = "1d";
