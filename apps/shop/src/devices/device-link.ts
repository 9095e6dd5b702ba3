import { Injectable, Logger } from "@nestjs/common";
import type { DeviceCommand } from "./device-command.task.js";

/** The line to the devices at home. This one only logs; a real one speaks MQTT or the like. */
@Injectable()
export class DeviceLink {
  private readonly logger = new Logger("Devices");

  /**
   * Sends a command and waits until the device has obeyed. To obey twice is to obey once.
   *
   * @throws Error when the device does not answer, or whatever `signal` aborts with
   */
  async send({ deviceId, command }: DeviceCommand, _signal: AbortSignal): Promise<void> {
    this.logger.log(`To ${deviceId}: ${command}`);
  }
}
