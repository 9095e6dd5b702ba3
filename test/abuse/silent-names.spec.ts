import { expect, test } from "@jest/globals";
import { join } from "node:path";
import { LoopbackNameServer } from "../../libs/executors/test-support/loopback-name-server.js";
import { eventually } from "../support/eventually.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";

/** Sixteen are looked up at once, for two seconds each: all of them take more than half a minute. */
const SILENT = 300;

test("hundreds of webhooks to names without an answer delay no webhook of another namespace, and no look-up of the process", async () => {
  const server = await LoopbackNameServer.start((name) => (name === "hook.example" ? ["127.0.0.1"] : "silence"));
  const deliveries = new NodeProcess({
    script: join(repositoryRoot, "test/support/attacks/silent-names.mjs"),
    args: [server.address, String(SILENT)],
    env: { UV_THREADPOOL_SIZE: "1" },
  });
  try {
    const told = await eventually(() => JSON.parse(deliveries.log()) as { silentLeft: number }[]);
    const delivered = { kind: "succeeded", result: '"delivered"' };
    expect(told).toMatchObject([delivered, delivered, { address: "127.0.0.1" }]);
    for (const { silentLeft } of told) expect(silentLeft).toBeGreaterThan(SILENT / 2);
    expect(await deliveries.exited).toEqual({ code: 0, signal: null });
  } finally {
    await deliveries.kill();
    await server.stop();
  }
});
