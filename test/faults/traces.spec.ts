import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import { repositoryRoot } from "../support/node-process.js";

/** A span as a node has written it when it ended. */
interface SpanLine {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string | null;
  links: string[];
  pid: number;
  attributes: Record<string, unknown>;
}

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const REQUEST_SPAN_ID = "b7ad6b7169203331";
const HEADERS = { traceparent: `00-${TRACE_ID}-${REQUEST_SPAN_ID}-01` };
/** Longer than a test: the attempt ends with its node. */
const HOLD_MS = 600_000;

const stage = new TestStage();
const folder = mkdtempSync(join(tmpdir(), "tickwheel-spans-"));
const file = join(folder, "spans.jsonl");
let ledger: Ledger;
let start: () => Promise<TestNode>;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const preload = join(repositoryRoot, "test/support/spans-to-file.mjs");
  const env = { NODE_OPTIONS: `--import=${preload}`, SPANS_FILE: file };
  start = () => stage.app({ databaseUrl, types: ["order"], env });
});
afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

function spansOf(taskId: string): SpanLine[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const spans = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as SpanLine);
  return spans.filter(({ attributes }) => attributes["messaging.message.id"] === taskId);
}

async function shown(node: TestNode, id: string): Promise<TaskBody> {
  return (await node.client.get<TaskBody>(`/v1/tasks/${id}`)).body;
}

/** Creates a task that this node, which is alone, is running. One that it has given back once is not held: again. */
async function heldOn(node: TestNode): Promise<string> {
  const input = { type: "order", payload: { holdMs: HOLD_MS, holdFence: 1 }, timeout: HOLD_MS };
  return eventually(async () => {
    const { body: task, status } = await node.client.post<TaskBody>("/v1/tasks", input, HEADERS);
    expect(status).toBe(201);
    const begun = await eventually(async () => {
      const found = (await ledger.starts()).find(({ taskId }) => taskId === task.id);
      expect(found).toBeDefined();
      return found;
    });
    expect(begun?.fence).toBe(1);
    return task.id;
  });
}

test("a task whose node is killed in its run is one trace with a link, from the request to the run on another node", async () => {
  const first = await start();
  const id = await heldOn(first);
  const second = await start();
  await first.kill();
  await eventually(async () => expect(await shown(second, id)).toMatchObject({ state: "succeeded" }));

  const [creation, ...runs] = await eventually(() => {
    const spans = spansOf(id);
    expect(spans.at(-1)?.attributes["tickwheel.outcome"]).toBe("succeeded");
    return spans;
  });
  expect(creation).toMatchObject({
    name: "create order",
    pid: first.pid,
    traceId: TRACE_ID,
    parentId: REQUEST_SPAN_ID,
    links: [],
  });
  const { traceId, spanId } = creation!;
  expect(runs.length).toBeGreaterThan(0);
  for (const run of runs)
    expect(run).toMatchObject({ name: "process order", pid: second.pid, traceId, parentId: spanId, links: [spanId] });
  expect(runs.at(-1)?.attributes["tickwheel.attempt"]).toBe(1);
  expect(JSON.stringify(await shown(second, id))).not.toContain(TRACE_ID);
});
