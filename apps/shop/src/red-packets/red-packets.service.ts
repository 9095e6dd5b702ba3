import { Injectable } from "@nestjs/common";
import { DelayTaskService, type TaskOptions, type TaskView } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { addToWallet, closeRedPacket, insertRedPacket, type RedPacket, takeShare } from "./red-packet-rows.js";
import { RED_PACKET_LIFETIME, RefundRedPacket } from "./refund-red-packet.task.js";

/** Red packets: each user who comes within a day takes a share, and the rest goes back to the sender. */
@Injectable()
export class RedPacketsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly delayTasks: DelayTaskService,
  ) {}

  /** Sends a packet with the task that refunds its rest. @returns the task; null: the packet was sent before */
  async send(packet: RedPacket): Promise<TaskView | null> {
    return this.dataSource.transaction(async (manager) => {
      if (!(await insertRedPacket(manager, packet))) return null;
      const { packetId } = packet;
      const options: TaskOptions = { delay: RED_PACKET_LIFETIME, key: packetId, manager };
      const { task } = await this.delayTasks.schedule(RefundRedPacket, { packetId }, options);
      return task;
    });
  }

  /**
   * The call that takes the last cent closes the packet and takes its task out. @returns whether there was so much in
   * it
   */
  async take(packetId: string, userId: string, cents: number): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const leftCents = await takeShare(manager, packetId, cents);
      if (leftCents === null) return false;
      await addToWallet(manager, userId, cents);
      if (leftCents > 0) return true;
      await closeRedPacket(manager, packetId);
      await this.delayTasks.cancelByKey(RefundRedPacket, packetId, { manager });
      return true;
    });
  }
}
