import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Finding } from "../support/api-client.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, leaderAmong, quiet } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures, tellTimes } from "../support/figures.js";
import { findingsOf, FindingsWatch, type FindingWords, oneToldByAll, overOnAll, toldByAll } from "./findings-watch.js";
import { Ledger } from "../support/ledger.js";

const BLOCK_MS = 5_000;
const BLOCKED_TOLD_WITHIN_MS = 3_000;
const SILENT_TOLD_WITHIN_MS = 5_000;

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[] = [];
let watch: FindingsWatch;
/**
 * What was told and is over, or soon will be. A finding closes a while after its cause, and nothing here waits for that
 * but the last look: meanwhile these may be told beside the newest.
 */
const ending: Finding[] = [];

beforeAll(async () => {
  services = await stage.services({ redis: true });
  const ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  watch = await stage.add(new FindingsWatch(() => nodes));
  nodes = await stage.many(3, () => startNode(["order", "resize"]));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

function startNode(types: readonly string[]): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types });
}

/** One finding beside those that end, whichever of these nodes is asked. */
function told(
  code: string,
  words: FindingWords,
  asked: readonly TestNode[] = nodes,
): Promise<{ finding: Finding; tookMs: number }> {
  return oneToldByAll(
    asked,
    { code, ...words },
    ending.map(({ id }) => id),
  );
}

/**
 * Waits until every node tells that one is silent. On a slow machine one may be asked only after the silent node is
 * declared dead.
 *
 * @returns how long the slowest took, in milliseconds
 */
async function silenceToldByAll(): Promise<number> {
  const fromMonoMs = performance.now();
  const known = ending.map(({ id }) => id);
  for (const node of nodes)
    await eventually(async () => {
      const now = (await findingsOf(node)).now.filter(({ id }) => !known.includes(id));
      expect(now.map(({ code }) => code).join()).toMatch(/^NODE_(SUSPECT|DIED)$/);
    });
  return Math.round(performance.now() - fromMonoMs);
}

/** A node that is blocked before it has Redis again would be told for that, too. */
async function expectRedisOnAll(): Promise<void> {
  for (const { coordination, nodes: lines } of await expectOneView(nodes)) {
    expect(coordination).toBe("redis");
    expect(lines.filter(({ away }) => away.length > 0)).toEqual([]);
  }
}

describe("each of three nodes tells", () => {
  test("each of three nodes tells of a type that nobody runs, a Redis that is away, a failing type, and its dead tasks", async () => {
    const [first, second] = nodes as [TestNode, TestNode, TestNode];
    await first.client.scheduleMany([1, 2].map(() => ({ type: "mail", payload: {} })));
    const failing = { type: "order", payload: { fails: 9 }, maxAttempts: 1 };
    await second.client.scheduleMany(Array.from({ length: 12 }, () => failing));
    await services.redis!.kill();
    const { findings, tookMs } = await toldByAll(nodes, [
      "TYPE_WITHOUT_NODE",
      "REDIS_AWAY",
      "TYPE_FAILING",
      "DEAD_TASKS",
    ]);
    for (const one of findings)
      expect(one).toMatchObject([
        {
          severity: "critical",
          title: "No live node runs mail",
          cure: "Start a node with this handler.",
          facts: { type: "mail", overdue: 2 },
        },
        {
          severity: "warning",
          title: "Redis is away from all 3 nodes",
          until: null,
          cure: expect.stringMatching(/^Look at Redis\./),
        },
        {
          severity: "warning",
          title: "order: 100 % of attempts fail",
          cure: expect.stringContaining("retry the dead"),
          facts: { failed: 12, dead: 12, error: expect.stringContaining("asked to fail") },
        },
        { severity: "warning", facts: { type: "order", dead: 12, seenAt: null } },
      ]);
    printFigures("findings: a type without node, Redis away, a failing type and its dead tasks", { tookMs });
    ending.push(...findings[0]!);
  });

  test("each of three nodes tells of a blocked loop with what runs there, when Redis is back", async () => {
    await services.redis!.restart();
    await eventually(expectRedisOnAll);
    const [blocked, ...others] = nodes as [TestNode, TestNode, TestNode];
    const task = await blocked.client.schedule({ type: "resize", payload: { blockMs: BLOCK_MS } });
    const { finding, tookMs } = await told(
      "LOOP_BLOCKED",
      { severity: "critical", title: /^The event loop of .* is blocked, /, cure: /^It runs resize\. / },
      others,
    );
    expect(finding).toMatchObject({ facts: { running: ["resize"], task: task.id } });
    expect(finding.facts["node"]).toMatch(new RegExp(`:${blocked.pid}$`));
    tellTimes("a blocked loop in the findings", {
      "another node names it": { ms: tookMs, boundMs: BLOCKED_TOLD_WITHIN_MS },
    });
    ending.push(finding);
  });

  test("each node tells nothing of one that says goodbye once it ran nobody's type, attempts succeed and the dead were seen", async () => {
    const [dead] = ending.filter(({ code }) => code === "DEAD_TASKS");
    const seen = await nodes[0]!.client.post(`/v1/dead-letters/order/${String(dead!.facts["fingerprint"])}/seen`, {});
    expect(seen.status).toBe(200);
    const fourth = await startNode(["mail"]);
    await nodes[1]!.client.scheduleMany(Array.from({ length: 60 }, () => ({ type: "order", payload: {} })));
    await quiet(nodes[1]!);
    expect(await fourth.stop()).toMatchObject({ signal: "SIGTERM" });
    await eventually(async () => {
      const lines = (await expectOneView(nodes)).flatMap((report) => report.nodes);
      // For a node that is killed while its loop is blocked, the blocked loop is told.
      expect(lines.filter(({ blocked }) => blocked !== null)).toEqual([]);
    });
  });

  test("each node tells of one that stands still and is then killed: suspect, then dead, as one finding, also where it led", async () => {
    const { leader } = await leaderAmong(nodes);
    process.kill(leader.pid, "SIGSTOP");
    nodes = nodes.filter((node) => node !== leader);
    const tookMs = await silenceToldByAll();
    await leader.kill();
    tellTimes("a silent node in the findings", {
      "every other node tells it": { ms: tookMs, boundMs: SILENT_TOLD_WITHIN_MS },
    });
    const { finding: death } = await told("NODE_DIED", {
      severity: "notice",
      title: new RegExp(`:${leader.pid}.* died, and its tasks were taken over$`),
      cure: /^Nothing to do here\./,
    });
    expect(watch.everTold("NODE_SUSPECT")).toEqual([
      expect.objectContaining({
        id: death.id,
        since: death.since,
        severity: "warning",
        title: expect.stringMatching(/is suspect: no beat for /),
        cure: expect.stringMatching(/^Nothing yet\./),
      }),
    ]);
  });

  test("each node tells the findings that are over in their last day, with both their times, and never anything else", async () => {
    const over = ending.map(({ code }) => code);
    const day = await overOnAll(nodes, { now: ["NODE_DIED"], over });
    for (const { id, code, since } of ending) expect(day).toContainEqual(expect.objectContaining({ id, code, since }));
    for (const { now, lastDay } of await watch.look())
      expect([now, lastDay].map((findings) => findings.length)).toEqual([1, over.length]);
    const codes = new Set(watch.codes);
    expect([...codes]).toEqual([...over, "NODE_SUSPECT", "NODE_DIED"].sort());
  });
});
