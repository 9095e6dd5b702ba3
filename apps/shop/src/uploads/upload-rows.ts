import type { EntityManager } from "typeorm";

const DEFAULT_QUOTA_BYTES = 1_000_000_000;

/** A file that a user uploads. Only an `open` one changes its status, and only once. */
export interface UploadRow {
  fileId: string;
  userId: string;
  status: "open" | "completed" | "cancelled";
  /** What settlements have written so far. */
  settledBytes: number;
}
/** What a user has uploaded, as settlements have written it: of completed uploads, and of open ones. */
export interface AccountRow {
  userId: string;
  quotaBytes: number;
  finishedBytes: number;
  unfinishedBytes: number;
  /** How often the totals were written. */
  writes: number;
}

const UPLOAD = `file_id AS "fileId", user_id AS "userId", status, settled_bytes::float8 AS "settledBytes"`;
const ACCOUNT = `user_id AS "userId", quota_bytes::float8 AS "quotaBytes", finished_bytes::float8 AS "finishedBytes",
  unfinished_bytes::float8 AS "unfinishedBytes", writes`;

/** Makes the account and the upload where they are missing. @returns both; null: the file is another user's */
export async function openUpload(
  manager: EntityManager,
  { userId, fileId }: { userId: string; fileId: string },
): Promise<{ upload: UploadRow; account: AccountRow } | null> {
  await manager.query(
    "INSERT INTO shop.upload_accounts (user_id, quota_bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    [userId, DEFAULT_QUOTA_BYTES],
  );
  await manager.query("INSERT INTO shop.uploads (file_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
    fileId,
    userId,
  ]);
  // Until the chunk is written nobody completes or cancels the upload.
  const [upload]: UploadRow[] = await manager.query(
    `SELECT ${UPLOAD} FROM shop.uploads WHERE file_id = $1 AND user_id = $2 FOR SHARE`,
    [fileId, userId],
  );
  const account = await findAccount(manager, userId);
  return upload && account ? { upload, account } : null;
}

export async function findAccount(manager: EntityManager, userId: string): Promise<AccountRow | null> {
  const [account]: AccountRow[] = await manager.query(
    `SELECT ${ACCOUNT} FROM shop.upload_accounts WHERE user_id = $1`,
    [userId],
  );
  return account ?? null;
}

/**
 * Adds bytes to an upload, and to the total that its status says: those of a cancelled one count nowhere. The lock on
 * the upload's row orders it with `endUpload`.
 */
export async function settleBytes(manager: EntityManager, fileId: string, bytes: number): Promise<void> {
  const [[upload]]: [UploadRow[], number] = await manager.query(
    `UPDATE shop.uploads SET settled_bytes = settled_bytes + $2 WHERE file_id = $1 RETURNING ${UPLOAD}`,
    [fileId, bytes],
  );
  if (!upload || upload.status === "cancelled") return;
  const column = upload.status === "completed" ? "finished_bytes" : "unfinished_bytes";
  await manager.query(
    `UPDATE shop.upload_accounts SET ${column} = ${column} + $2, writes = writes + 1 WHERE user_id = $1`,
    [upload.userId, bytes],
  );
}

/**
 * Ends an open upload. Its settled chunks move from the unfinished total to the finished one, or leave both.
 *
 * @returns the upload; null: it is not open
 */
export async function endUpload(
  manager: EntityManager,
  fileId: string,
  status: "completed" | "cancelled",
): Promise<UploadRow | null> {
  const [[upload]]: [UploadRow[], number] = await manager.query(
    `UPDATE shop.uploads SET status = $2 WHERE file_id = $1 AND status = 'open' RETURNING ${UPLOAD}`,
    [fileId, status],
  );
  if (!upload) return null;
  const kept = status === "completed" ? upload.settledBytes : 0;
  await manager.query(
    `UPDATE shop.upload_accounts SET unfinished_bytes = unfinished_bytes - $2, finished_bytes = finished_bytes + $3,
            writes = writes + 1
      WHERE user_id = $1`,
    [upload.userId, upload.settledBytes, kept],
  );
  return upload;
}

export async function findUpload(manager: EntityManager, fileId: string): Promise<UploadRow | null> {
  const [upload]: UploadRow[] = await manager.query(`SELECT ${UPLOAD} FROM shop.uploads WHERE file_id = $1`, [fileId]);
  return upload ?? null;
}
