import { expect, test } from "@jest/globals";
import { forecastQuery, historyQuery, readQuery } from "@tickwheel/contract/operations";
import type { ApiKey } from "@tickwheel/core";
import { AHEAD_RANGES, HISTORY_RANGES } from "@tickwheel/engine";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { ClusterApiService } from "./cluster-api.service.js";

const KEY: ApiKey = {
  id: "1",
  namespace: "shop",
  role: "viewer",
  cluster: false,
  rights: [],
  types: null,
  expiresAt: null,
};
const ASKED = { apiKey: KEY, query: readQuery(forecastQuery, {}) };
const FORECAST = {
  countedAt: 0,
  incomplete: false,
  overdue: 0,
  oldestDueAt: null,
  nextDueAt: null,
  buckets: [],
  schedulesCut: false,
  types: [],
  otherTypes: 0,
  capacity: { perSecond: 50, measured: true },
  over: { at: 0, due: 9, capacity: 5, lateMs: 1, type: "mail", typeDue: 9 },
};

test("the overdue tasks of a forecast and of each share of a wheel are told as at least so many where counting ended", async () => {
  const share = (overdue: number): object => ({ seconds: [], overdue, nextDueAt: null });
  for (const [overdue, told, isAtLeast] of [
    [10_000, 10_000, false],
    [10_001, 10_000, true],
  ] as const) {
    const wheel = { countedAt: 0, fullest: [], all: share(overdue), nodes: [share(3)], nobody: share(0) };
    const figures = {
      forecast: () => Promise.resolve({ ...FORECAST, overdue }),
      clusterWheel: () => Promise.resolve(wheel),
    };
    const api = new ClusterApiService({ figures } as unknown as DelayTaskNode);
    expect(await api.forecast(ASKED)).toMatchObject({ overdue: told, overdueAtLeast: isAtLeast });
    expect(await api.wheel()).toMatchObject({
      all: { overdue: told, overdueAtLeast: isAtLeast },
      nodes: [{ overdue: 3, overdueAtLeast: isAtLeast }],
      nobody: { overdue: 0, overdueAtLeast: isAtLeast },
    });
  }
});

test("a forecast tells the cluster's capacity to keys with the right cluster alone", async () => {
  const node = { figures: { forecast: () => Promise.resolve(FORECAST) } };
  const api = new ClusterApiService(node as unknown as DelayTaskNode);
  const told = await api.forecast({ ...ASKED, apiKey: { ...KEY, cluster: true } });
  expect([told.capacity.perSecond, told.over?.capacity]).toEqual([50, 5]);
  expect(await api.forecast(ASKED)).toMatchObject({ capacity: { perSecond: null, measured: false }, over: null });
});

test("history and forecast may be asked for every range that the node counts", () => {
  const wordsOf = ({ form }: { form: object }): unknown => (form as { words?: unknown }).words;
  expect(wordsOf(historyQuery.parameters.range)).toEqual(Object.keys(HISTORY_RANGES));
  expect(wordsOf(forecastQuery.parameters.ahead)).toEqual(Object.keys(AHEAD_RANGES));
});
