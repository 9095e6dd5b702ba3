import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import { type DeviceCommand, SendDeviceCommand } from "./device-command.task.js";
import { DeviceLink } from "./device-link.js";

/** Sends a command. Its signal fires when a newer command replaces it. */
@Injectable()
@DelayTaskHandler(SendDeviceCommand)
export class DeviceCommandHandler {
  constructor(private readonly link: DeviceLink) {}

  async handle({ payload }: DelayTask<DeviceCommand>, { signal }: DelayTaskContext): Promise<void> {
    await this.link.send(payload, signal);
  }
}
