import { Module } from "@nestjs/common";
import { DeviceCommandHandler } from "./device-command.handler.js";
import { DeviceLink } from "./device-link.js";
import { DevicesService } from "./devices.service.js";

/** Devices at home, and the commands that they get later. */
@Module({ providers: [DeviceLink, DevicesService, DeviceCommandHandler], exports: [DevicesService] })
export class DevicesModule {}
