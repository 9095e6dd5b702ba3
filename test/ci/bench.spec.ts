import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { IS_WHOLE } from "../support/depth.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";

let bench: NodeProcess;

afterEach(() => bench.stop());

/** Runs a small benchmark of ours, and reads its last line. */
async function benchmark(job: string, ...options: string[]): Promise<Record<string, unknown>> {
  const args = [job, "--quick", "--peer", "tickwheel", "--json", ...options];
  bench = new NodeProcess({ script: join(repositoryRoot, "test/bench/dist/main.js"), args });
  const { code } = await bench.exited;
  if (code !== 0) throw new Error(bench.log());
  const lines = bench.log().trim().split("\n");
  return JSON.parse(lines.find((line) => line.startsWith("{"))!) as Record<string, unknown>;
}

const CLEAN = { peer: "tickwheel", settings: "defaults", lost: 0, early: 0, duplicates: 0 };

describe("a quick benchmark of ours", () => {
  test("a quick benchmark creates tasks, loses none, and reports as the documents say", async () => {
    expect(await benchmark("create")).toEqual({
      job: "create",
      node: expect.stringMatching(/^v\d+/),
      postgres: expect.stringContaining("fsync=on synchronous_commit=on"),
      redis: expect.stringContaining("appendfsync=everysec"),
      results: [
        {
          ...CLEAN,
          perSecond: expect.any(Number),
          latenessMs: { p50: null, p95: null, p99: null, max: null },
          cpuSeconds: expect.any(Number),
          figures: expect.objectContaining({
            tasks: expect.any(Number),
            cpuMicrosPerTask: expect.any(Number),
            walBytesPerTask: expect.any(Number),
            commitsPerTask: expect.any(Number),
            deadVersionsPerTask: expect.any(Number),
          }),
          reps: [expect.objectContaining({ lost: 0 })],
        },
      ],
      ratios: {},
    });
  });

  // A sample is one job: they share how they are run, and how they report.
  if (!IS_WHOLE) return;

  test("a quick benchmark fires tasks at a steady rate, each once, and none before its time", async () => {
    const { results } = await benchmark("steady");
    const late = expect.any(Number);
    expect(results).toEqual([
      expect.objectContaining({
        ...CLEAN,
        latenessMs: { p50: late, p95: late, p99: late, max: late },
        figures: expect.objectContaining({ tasks: 400, unfinished: 0 }),
      }),
    ]);
  });

  test("a quick benchmark limits what runs on three nodes together, as many as the limit allows and never more", async () => {
    const { results } = await benchmark("limited");
    const cell: unknown = expect.objectContaining({ mostAtOnce: 5, perSecond: expect.any(Number) });
    expect(results).toEqual([expect.objectContaining({ ...CLEAN, cells: { "5 at once, 10 ms": cell } })]);
  });

  test("a quick benchmark reads beside the work what a page shows, over finished tasks that it has filled in", async () => {
    const { results } = await benchmark("reads");
    const figures: Record<string, unknown> = {};
    for (const view of ["stats", "login", "newest", "live", "dead", "type", "rare", "key", "cancel"])
      figures[`${view}P95Ms`] = expect.any(Number);
    expect(results).toEqual([expect.objectContaining({ ...CLEAN, figures: expect.objectContaining(figures) })]);
  });
});
