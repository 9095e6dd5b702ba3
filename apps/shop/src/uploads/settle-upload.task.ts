import { defineTask } from "@tickwheel/nestjs";

/** What the chunks of a file have gathered since the last settlement. The task's key is the file. */
export interface SettleUploadPayload {
  fileId: string;
  /** The sum over these chunks. */
  bytes: number;
  chunks: number;
}

/** Writes to a user's account what the chunks of a file have gathered, once they pause. */
export const SettleUpload = defineTask<SettleUploadPayload>("upload.settle", { maxAttempts: 10, timeout: "30s" });

/** A settlement comes this long after the last chunk, */
export const SETTLE_AFTER = "5s";
/** and at the latest this long after the first one. */
export const SETTLE_WITHIN = "1m";
