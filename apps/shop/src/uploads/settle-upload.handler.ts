import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import { SettleUpload, type SettleUploadPayload } from "./settle-upload.task.js";
import { settleBytes } from "./upload-rows.js";

/**
 * Writes what the chunks of a file have gathered. It writes a change, never a state, and completes the task in the same
 * transaction: so settlements of one file may come in any order, and each counts once.
 */
@Injectable()
@DelayTaskHandler(SettleUpload)
export class SettleUploadHandler {
  async handle({ payload }: DelayTask<SettleUploadPayload>, context: DelayTaskContext): Promise<void> {
    await context.transaction((manager) => settleBytes(manager, payload.fileId, payload.bytes));
  }
}
