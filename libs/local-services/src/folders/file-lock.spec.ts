import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { withLock } from "./file-lock.js";
import { ownIdentity } from "../processes/process-identity.js";

describe("withLock", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tickwheel-lock-"));
    path = join(folder, "lock");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs `count` holders at once and returns how many were inside together at worst. */
  async function worstOverlap(count: number): Promise<number> {
    let inside = 0;
    let worst = 0;
    const hold = async (): Promise<void> => {
      worst = Math.max(worst, ++inside);
      await new Promise(setImmediate);
      inside--;
    };
    await Promise.all(Array.from({ length: count }, () => withLock(path, hold)));
    return worst;
  }

  test("withLock gives the result of the work and leaves no file behind", async () => {
    expect(await withLock(path, async () => existsSync(path))).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("the lock of withLock is released when the work fails", async () => {
    await expect(withLock(path, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("withLock lets one caller in at a time", async () => {
    expect(await worstOverlap(5)).toBe(1);
  });

  test("the lock of withLock is taken over from a dead holder by one caller alone, however many try", async () => {
    writeFileSync(path, JSON.stringify({ ...ownIdentity(), birth: "boot:1", id: "dead" }));
    expect(await worstOverlap(5)).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("the lock of withLock is taken over when the process that broke a dead lock died over it", async () => {
    writeFileSync(path, JSON.stringify({ ...ownIdentity(), birth: "boot:1", id: "dead" }));
    writeFileSync(`${path}.dead`, JSON.stringify({ ...ownIdentity(), birth: "boot:1", id: "breaker" }));
    expect(await worstOverlap(3)).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("withLock names the living holder that it waited for in vain", async () => {
    const waiting = withLock(path, () => withLock(path, async () => {}, { limitMs: 60 }));
    await expect(waiting).rejects.toMatchObject({
      code: "LOCK_TIMEOUT",
      message: expect.stringContaining(`${process.pid}`),
    });
  });
});
