import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { WorkerHeartbeat, type WorkerHeartbeatOptions } from "./worker-heartbeat.js";

const INTERVAL_MS = 1_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tickwheel-worker-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Has a heartbeat start a program again and again, until it has been started three times. */
async function deathsOf(program: string): Promise<string[]> {
  const file = join(folder, "worker.cjs");
  const log = join(folder, "starts");
  writeFileSync(log, "");
  writeFileSync(file, `require("node:fs").appendFileSync(${JSON.stringify(log)}, "x"); ${program}`);
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const settings = { file, heartbeatIntervalMs: INTERVAL_MS } as WorkerHeartbeatOptions;
  const heartbeat = new WorkerHeartbeat({ clock, telemetry }, settings);
  await heartbeat.start({ bootId: "boot", label: "node" }, () => ({}) as never, {
    beatGood: () => undefined,
    lost: () => undefined,
  });
  while (readFileSync(log).length < 3) {
    await clock.advance(INTERVAL_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await heartbeat.stop();
  // The third may have ended, too.
  return telemetry.events.slice(0, 2).map(({ name, message }) => `${name}: ${message}`);
}

test.each(['require("not-there")', 'import("not-there")'])(
  "a heartbeat thread whose program lacks a package says what to do, once: %s",
  async (program) => {
    const deaths = await deathsOf(program);
    expect(deaths).toEqual([expect.stringMatching(/^cluster\.heartbeat\.worker_died: .*heartbeat: "loop"/)]);
  },
);

test("a heartbeat thread that ends for another reason than a missing package is told each time", async () => {
  const death = "cluster.heartbeat.worker_died: The heartbeat's thread ended; it is started again";
  expect(await deathsOf("throw new Error('no luck')")).toEqual([death, death]);
});
