import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { PostgresService, RedisService } from "@tickwheel/local-services";
import { type TestNode, TestStage } from "../support/cluster.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { type JsonLine, jsonLines } from "../support/app/log-lines.js";

/** Longer than a node beats without an answer before it fences itself. */
const OUTAGE_MS = 7_000;
/** After an outage: what had failed is tried again meanwhile. */
const AFTER_MS = 4_000;

const ROLES = { "a node": "api,engine", "an engine alone": "engine", "an API alone": "api" } as const;

const stage = new TestStage();
let postgres: PostgresService;
let redis: RedisService;
let nodes: Record<keyof typeof ROLES, TestNode>;

beforeAll(async () => {
  const services = await stage.services({ redis: true });
  postgres = services.postgres;
  redis = services.redis!;
  const { databaseUrl, redisUrl } = services;
  const start = (roles: string): Promise<TestNode> => {
    const env = { TICKWHEEL_LOG_FORMAT: "json", TICKWHEEL_ROLES: roles };
    return stage.scheduler({ databaseUrl, redisUrl, env });
  };
  nodes = {
    "a node": await start(ROLES["a node"]),
    "an engine alone": await start(ROLES["an engine alone"]),
    "an API alone": await start(ROLES["an API alone"]),
  };
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

/** The lines of each node since `marks`, but for those of `tickwheel.log`. */
function linesSince(marks: ReadonlyMap<TestNode, number>, name: keyof typeof ROLES): JsonLine[] {
  const lines = jsonLines(nodes[name].log()).slice(marks.get(nodes[name]));
  return lines.filter(({ context }) => context !== "tickwheel.log");
}

const marksNow = (): Map<TestNode, number> =>
  new Map(Object.values(nodes).map((node) => [node, jsonLines(node.log()).length]));

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
  test.each(depth({ sample: OUTAGES, whole: [...OUTAGES, HANGING] }))(
    "of $part that $how",
    async ({ part, how, begin, end }) => {
      await giveWork();
      const marks = marksNow();
      await begin();
      await lasting(OUTAGE_MS);
      await end();
      for (const name of Object.keys(ROLES) as (keyof typeof ROLES)[])
        await eventually(() => {
          const lines = linesSince(marks, name).map(inShort);
          expect(lines).toContain(`info cluster.${part}.recovered`);
        });
      await lasting(AFTER_MS);
      for (const name of Object.keys(ROLES) as (keyof typeof ROLES)[]) {
        const told = linesSince(marks, name).map(inShort).filter(isOfParts);
        const ofPart = told.filter((line) => line.includes(` cluster.${part}.`));
        expect(ofPart).toEqual([`warn cluster.${part}.degraded`, `info cluster.${part}.recovered`]);
        // A slow machine may add a part that fails on by itself. None is told twice, however often it is tried.
        expect(new Set(told).size).toBe(told.length);
        printFigures(`${part} ${how}: lines of ${name}`, { ofParts: told.length, all: linesSince(marks, name).length });
      }
      const [, recovered] = linesSince(marks, "a node").filter(({ event }) => event?.startsWith(`cluster.${part}.`));
      expect(recovered!["lastedMs"]).toEqual(expect.any(Number));
    },
  );
});
