import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";

const DEMO = join(repositoryRoot, "apps/demo/dist/main.js");

interface Report {
  orders: number;
  cancelledAcked: number;
  fired: number;
  lost: number;
  firedTwice: number;
  firedEarly: number;
  firedAfterCancelAck: number;
  takeover: { killedNode: string | null; rerun: number };
  coordination: string;
  nodes: number;
  tooSlowToJudge: string | null;
  ok: boolean;
}

/** A small cousin of the demo: the kill falls among due tasks although there are few orders. */
const SMALL = ["--once", "--json", "--count", "300", "--rate", "16", "--speed", "120"];

async function runDemo(...args: string[]): Promise<{ code: number | null; output: string }> {
  const demo = new NodeProcess({ script: DEMO, args });
  const { code } = await demo.exited;
  return { code, output: demo.log() };
}

async function reportOf(...more: string[]): Promise<Report> {
  const { code, output } = await runDemo(...SMALL, ...more);
  const lastLine = output.trimEnd().split("\n").at(-1)!;
  if (code !== 0 || !lastLine.startsWith("{")) throw new Error(`The demo ended with ${code}:\n${output}`);
  return JSON.parse(lastLine) as Report;
}

/** What holds however slow the machine is. */
const nothingWrong = { lost: 0, firedTwice: 0, firedEarly: 0, firedAfterCancelAck: 0 };

describe("the demo", () => {
  test("loses, doubles and hastens nothing although a node is killed", async () => {
    const report = await reportOf("--seed", "1");
    expect(report).toMatchObject({ orders: 300, coordination: "redis", ok: true, ...nothingWrong });
    // A node that a slow machine keeps from its beats may count as dead for a while.
    if (report.tooSlowToJudge === null) expect(report.nodes).toBe(3);
    expect(report.cancelledAcked + report.fired).toBe(300);
    expect(report.takeover.killedNode).toMatch(/:\d+$/);
  });

  test("does the same when Redis is killed together with the node", async () => {
    expect(await reportOf("--seed", "2", "--kill-redis")).toMatchObject({
      coordination: "postgres-degraded",
      ok: true,
      ...nothingWrong,
    });
  });

  test("does the same without any Redis", async () => {
    expect(await reportOf("--seed", "3", "--no-redis")).toMatchObject({
      coordination: "postgres",
      ok: true,
      ...nothingWrong,
    });
  });

  test("explains its options", async () => {
    const { code, output } = await runDemo("--help");
    expect(code).toBe(0);
    for (const option of ["orders", "rate", "speed", "once", "kill-redis", "no-redis", "seed", "json"])
      expect(output).toContain(`--${option}`);
  });

  test.each([
    [["--rate", "0"], "--rate <n>"],
    [["--speed", "fast"], "--speed <n>"],
    [["--seed", "-1"], "--seed <n>"],
    [["--kill-redis", "--no-redis"], "exclude each other"],
    [["--nodes", "5"], "unknown option"],
  ])("refuses %j with a message and starts nothing", async (options, message) => {
    const { code, output } = await runDemo(...options);
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output).not.toContain("Postgres");
  });

  test("names the line of a file of orders that it cannot read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tickwheel-orders-"));
    const file = join(folder, "orders.csv");
    writeFileSync(file, "order_id,purchased_at,approved_after_s,final_status\na,2017-01-01T00:00:00Z,soon,shipped\n");
    const { code, output } = await runDemo("--orders", file);
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(output).toContain(`${file}, line 2: approved_after_s "soon" is not a whole number of seconds`);
  });
});
