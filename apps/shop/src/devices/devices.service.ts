import { Injectable } from "@nestjs/common";
import { DelayTaskService, type DurationInput, type TaskView } from "@tickwheel/nestjs";
import { type DeviceCommand, SendDeviceCommand } from "./device-command.task.js";

/** Commands for devices at home, after a delay. A device has one command at most: the newest. */
@Injectable()
export class DevicesService {
  constructor(private readonly delayTasks: DelayTaskService) {}

  /**
   * Has a device obey after a delay. An older command that waits or runs is replaced.
   *
   * @param delay milliseconds, or a text
   * @example await devices.command({ deviceId: "heater-1", command: "heater.off" }, "20m");
   */
  async command(command: DeviceCommand, delay: DurationInput): Promise<TaskView> {
    const options = { delay, key: command.deviceId, onConflict: "replace" } as const;
    const { task } = await this.delayTasks.schedule(SendDeviceCommand, command, options);
    return task;
  }
}
