import { Injectable } from "@nestjs/common";
import { DelayTaskService } from "@tickwheel/nestjs";
import { DataSource, type EntityManager } from "typeorm";
import { SETTLE_AFTER, SETTLE_WITHIN, SettleUpload, type SettleUploadPayload } from "./settle-upload.task.js";
import { type AccountRow, endUpload, findAccount, findUpload, openUpload, type UploadRow } from "./upload-rows.js";

/** A chunk of a file. */
export interface Chunk {
  userId: string;
  fileId: string;
  /** Unique within the file: a chunk that is sent again counts once. */
  chunkId: string;
  bytes: number;
}

/** What became of a chunk. `gatheredBytes`: what waits for the file's next settlement, this chunk included. */
export type ChunkOutcome =
  | { outcome: "taken"; gatheredBytes: number }
  | { outcome: "over_quota"; quotaBytes: number }
  /** The upload is over, or another user's. */
  | { outcome: "conflict" };

/** Thrown to roll a chunk back. */
class OverQuota extends Error {
  constructor(readonly quotaBytes: number) {
    super("over quota");
  }
}

/**
 * Takes chunks of uploads. A chunk does not touch the account: it merges into the file's task, and one settlement
 * writes the sum when the chunks pause. Completing and cancelling may come before or after it.
 *
 * The quota looks at both totals and at what this file has gathered. Files that a user uploads at the same time may
 * exceed it by what they gather between two settlements.
 */
@Injectable()
export class UploadsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly delayTasks: DelayTaskService,
  ) {}

  async addChunk(chunk: Chunk): Promise<ChunkOutcome> {
    try {
      return await this.dataSource.transaction((manager) => this.addWithin(manager, chunk));
    } catch (error) {
      if (error instanceof OverQuota) return { outcome: "over_quota", quotaBytes: error.quotaBytes };
      throw error;
    }
  }

  /** What was gathered is settled by the task that is there. @returns null: there is no such open upload */
  complete(fileId: string): Promise<UploadRow | null> {
    return this.dataSource.transaction((manager) => endUpload(manager, fileId, "completed"));
  }

  /**
   * Takes the file's task out, so what it has gathered is never settled. A settlement that runs already finds the
   * upload cancelled and writes no total.
   */
  cancel(fileId: string): Promise<UploadRow | null> {
    return this.dataSource.transaction(async (manager) => {
      const upload = await endUpload(manager, fileId, "cancelled");
      if (upload) await this.delayTasks.cancelByKey(SettleUpload, fileId, { manager });
      return upload;
    });
  }

  find(fileId: string): Promise<UploadRow | null> {
    return findUpload(this.dataSource.manager, fileId);
  }

  account(userId: string): Promise<AccountRow | null> {
    return findAccount(this.dataSource.manager, userId);
  }

  private async addWithin(manager: EntityManager, { userId, fileId, chunkId, bytes }: Chunk): Promise<ChunkOutcome> {
    const opened = await openUpload(manager, { userId, fileId });
    if (opened?.upload.status !== "open") return { outcome: "conflict" };
    const { task } = await this.delayTasks.schedule(
      SettleUpload,
      { fileId, bytes, chunks: 1 },
      {
        key: fileId,
        delay: SETTLE_AFTER,
        maxWait: SETTLE_WITHIN,
        onConflict: "merge",
        merge: { bytes: "add", chunks: "add" },
        idempotencyKey: `upload ${fileId} ${chunkId}`,
        manager,
      },
    );
    const { bytes: gatheredBytes } = task.payload as unknown as SettleUploadPayload;
    const { quotaBytes, finishedBytes, unfinishedBytes } = opened.account;
    if (finishedBytes + unfinishedBytes + gatheredBytes > quotaBytes) throw new OverQuota(quotaBytes);
    return { outcome: "taken", gatheredBytes };
  }
}
