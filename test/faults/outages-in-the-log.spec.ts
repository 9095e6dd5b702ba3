import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RedisService } from "@tickwheel/local-services";
import { type TestNode, TestStage } from "../support/cluster.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { type JsonLine, jsonLines } from "../support/app/log-lines.js";
import type { OwnPostgres } from "../support/servers/own-postgres.js";

/** A node that beats without an answer fences itself after three beats. */
const FENCED_SOON = {
  TICKWHEEL_SUSPECT_AFTER_BEATS: "2",
  TICKWHEEL_SELF_FENCE_AFTER_BEATS: "3",
  TICKWHEEL_DEAD_AFTER_BEATS: "5",
  TICKWHEEL_REDIS_KEY_TTL_MS: "2500",
};
/** Longer than that. */
const OUTAGE_MS = 5_000;
/** After the last outage: what had failed is tried again meanwhile. After the others the next one begins. */
const AFTER_MS = 4_000;

const ROLES = { "a node": "api,engine", "an engine alone": "engine", "an API alone": "api" } as const;

type NodeName = keyof typeof ROLES;
const NAMES = Object.keys(ROLES) as NodeName[];

const stage = new TestStage();
let postgres: OwnPostgres;
let redis: RedisService;
let nodes: Record<NodeName, TestNode>;

beforeAll(async () => {
  const services = await stage.services({ redis: true });
  postgres = services.postgres;
  redis = services.redis!;
  const { databaseUrl, redisUrl } = services;
  const start = (roles: string): Promise<TestNode> => {
    const env = { TICKWHEEL_LOG_FORMAT: "json", TICKWHEEL_ROLES: roles, ...FENCED_SOON };
    return stage.scheduler({ databaseUrl, redisUrl, env });
  };
  const [node, engine, api] = await Promise.all(Object.values(ROLES).map(start));
  nodes = { "a node": node!, "an engine alone": engine!, "an API alone": api! };
  await eventually(async () => {
    const report = await nodes["an API alone"].client.cluster();
    expect(report.nodes.map(({ state, ownedSlots }) => state === "live" && ownedSlots > 0)).toEqual([true, true]);
  });
});
afterAll(() => stage.stop());

/** To the postmaster and all of its backends, which are groups of their own. */
function signal(name: "SIGSTOP" | "SIGCONT"): void {
  const { pid } = postgres;
  const backends = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  for (const one of [String(pid), ...backends]) process.kill(Number(one), name);
}

/** Due now and soon, so that every part of a node has something to write. */
async function giveWork(): Promise<void> {
  const tasks = Array.from({ length: 100 }, (_, index) => ({
    type: "tickwheel.log",
    payload: { index },
    delay: index * 100,
  }));
  const { status } = await nodes["a node"].client.post("/v1/tasks/bulk", { tasks });
  expect(status).toBe(200);
}

/** How many lines each node has written. */
type Marks = ReadonlyMap<TestNode, number>;

/** The lines of a node between two marks, but for those of `tickwheel.log`. */
function linesBetween([since, until]: readonly [Marks, Marks?], name: NodeName): JsonLine[] {
  const node = nodes[name];
  const lines = jsonLines(node.log()).slice(since.get(node), until?.get(node));
  return lines.filter(({ context }) => context !== "tickwheel.log");
}

const marksNow = (): Marks => new Map(Object.values(nodes).map((node) => [node, jsonLines(node.log()).length]));

const inShort = ({ level, event, msg }: JsonLine): string => `${level} ${event ?? msg}`;

interface Outage {
  part: "postgres" | "redis";
  how: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Lines that a node writes of parts which do not work, or work again. */
const isOfParts = (line: string): boolean => /\.(degraded|recovered)$/.test(line);

const OUTAGES: readonly Outage[] = [
  { part: "postgres", how: "refuses", begin: () => postgres.kill(), end: () => postgres.restart() },
  { part: "redis", how: "refuses", begin: () => redis.kill(), end: () => redis.restart() },
];
const HANGING: Outage = {
  part: "postgres",
  how: "hangs",
  begin: async () => signal("SIGSTOP"),
  end: async () => signal("SIGCONT"),
};

describe("an outage is one line at its beginning and one at its end, on each node", () => {
  const outages = depth({ sample: OUTAGES, whole: [...OUTAGES, HANGING] });
  /** At the beginning of each outage. */
  const marks: Marks[] = [];

  beforeAll(async () => {
    for (const { part, begin, end } of outages) {
      await giveWork();
      const since = marksNow();
      marks.push(since);
      await begin();
      await lasting(OUTAGE_MS);
      await end();
      for (const name of NAMES)
        await eventually(() => {
          const lines = linesBetween([since], name).map(inShort);
          expect(lines).toContain(`info cluster.${part}.recovered`);
        });
    }
    await lasting(AFTER_MS);
  });

  test.each(outages.map(({ part, how }, index) => ({ part, how, index })))(
    "an outage of $part that $how is one line at its beginning and one at its end, on each node",
    ({ part, how, index }) => {
      const its = [marks[index]!, marks[index + 1]] as const;
      for (const name of NAMES) {
        const told = linesBetween(its, name).map(inShort).filter(isOfParts);
        const ofPart = told.filter((line) => line.includes(` cluster.${part}.`));
        expect(ofPart).toEqual([`warn cluster.${part}.degraded`, `info cluster.${part}.recovered`]);
        // A slow machine may add a part that fails on by itself. None is told twice, however often it is tried.
        expect(new Set(told).size).toBe(told.length);
        printFigures(`${part} ${how}: lines of ${name}`, { ofParts: told.length, all: linesBetween(its, name).length });
      }
      const [, recovered] = linesBetween(its, "a node").filter(({ event }) => event?.startsWith(`cluster.${part}.`));
      expect(recovered!["lastedMs"]).toEqual(expect.any(Number));
    },
  );

  test.each(["postgres", "redis"] as const)(
    "nothing more is told in the log of an outage of %s once it works again",
    (part) => {
      const first = outages.findIndex((outage) => outage.part === part);
      const its = outages.filter((outage) => outage.part === part);
      for (const name of NAMES) {
        const told = linesBetween([marks[first]!], name).map(inShort);
        const expected = its.flatMap(() => [`warn cluster.${part}.degraded`, `info cluster.${part}.recovered`]);
        expect(told.filter((line) => line.includes(` cluster.${part}.`))).toEqual(expected);
      }
    },
  );
});
