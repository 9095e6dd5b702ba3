import { defineTask } from "@tickwheel/nestjs";

/** What a device shall do. The task's key is the device. */
export interface DeviceCommand {
  deviceId: string;
  /** As the device knows it, such as `heater.off`. */
  command: string;
}

/**
 * Sends a command to a device. One that could not be begun within five minutes of its time expires: somebody who comes
 * home later does not want the heater to go off then. A device that does not answer is asked again for about as long.
 */
export const SendDeviceCommand = defineTask<DeviceCommand>("device.command", {
  startDeadline: "5m",
  maxAttempts: 11,
  backoff: { kind: "fixed", delay: "30s" },
  timeout: "10s",
});
