import type { Writable } from "node:stream";

/** Where a process writes to. */
export interface ProcessOutputs {
  stdout: Pick<Writable, "on">;
  stderr: Pick<Writable, "on" | "write">;
}

/** The codes with which {@link endWithOutput} ends a command. */
const READER_GONE = 141;
const NOT_WRITTEN = 1;

/**
 * For programs that serve: the process goes on when what it writes is lost, since a node without its log is still a
 * node. Its reader may have died (`EPIPE`), the disk may be full (`ENOSPC`), its terminal may be closed (`EIO`).
 * Without it, Node throws each lost line as an uncaught exception.
 *
 * A lost line is not written again. Later ones are tried anew, so the log goes on when a full disk has room again. It
 * listens to the process's outputs: call it once, at the start of the program, never in a library.
 * @example
 * outliveOutput();
 * const app = await NestFactory.create(AppModule);
 */
export function outliveOutput({ stdout, stderr }: ProcessOutputs = process): void {
  for (const output of [stdout, stderr]) output.on("error", () => {});
}

/**
 * For commands, whose output is what they are run for: the first loss of stdout ends them. When the reader is gone
 * (`command | head -1`) they end without a word and with 141, as Unix tools end by SIGPIPE. Output that could not be
 * written for another reason is told on stderr, and the code is 1. A lost stderr takes only the progress with it.
 *
 * @param end ends the process with a code; it is called once
 * @example endWithOutput((code) => process.exit(code));
 */
export function endWithOutput(end: (code: number) => void, { stdout, stderr }: ProcessOutputs = process): void {
  let isEnding = false;
  stderr.on("error", () => {});
  stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (isEnding) return;
    isEnding = true;
    if (code !== "EPIPE") stderr.write(`stdout: ${message}\n`);
    end(code === "EPIPE" ? READER_GONE : NOT_WRITTEN);
  });
}
