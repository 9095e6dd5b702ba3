import { existsSync, readFileSync, statSync } from "node:fs";

export function logSizeBytes(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** The last lines of a log file, of those after `fromByte`. */
export function tailOf(path: string, { lines = 50, fromByte = 0 }: { lines?: number; fromByte?: number } = {}): string {
  if (!existsSync(path)) return "";
  return readFileSync(path).subarray(fromByte).toString("utf8").trimEnd().split("\n").slice(-lines).join("\n");
}
