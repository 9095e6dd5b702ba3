import { Module } from "@nestjs/common";
import { SettleUploadHandler } from "./settle-upload.handler.js";
import { UploadsController } from "./uploads.controller.js";
import { UploadsService } from "./uploads.service.js";

/** Uploads in chunks, what each user has uploaded, and the task that adds it up. */
@Module({ controllers: [UploadsController], providers: [UploadsService, SettleUploadHandler] })
export class UploadsModule {}
