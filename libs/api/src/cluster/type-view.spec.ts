import { expect, test } from "@jest/globals";
import type { TypeStanding } from "@tickwheel/calls";
import type { Pause, TypeFigures } from "@tickwheel/core";
import type { ClusterReport, NodeReport } from "@tickwheel/engine";
import { toTypePage } from "./type-view.js";

const FREE: TypeStanding = {
  concurrency: null,
  keepSucceededMs: null,
  keepCancelledMs: null,
  keepDeadMs: null,
  limits: null,
  isLimitFull: false,
  breaker: null,
  pause: null,
};
const PAUSE: Pause = {
  namespace: "shop",
  typeId: 1,
  key: null,
  pausedAt: 0,
  until: null,
  reason: null,
  pausedBy: "key:1",
};
const BREAKER = { state: "OPEN", since: 0, until: 5, failedTrials: 0, node: null } as const;
const FIGURES = {
  namespace: "shop",
  type: "mail",
  typeId: 1,
  delivery: "handler",
  overdue: 3,
  oldestDueAt: 0,
  running: 0,
  lastMinuteStarted: 0,
  lastStarted: 0,
  lastFailed: 0,
  lastSucceeded: 0,
  lastSkipped: 0,
  lastLatenessMs: null,
  lastError: null,
} as unknown as TypeFigures;

function waitOf(standing: Partial<TypeStanding>, { nodes = 1, inFlight = 0, overdue = 3 } = {}): unknown {
  const node = { label: "a:1", state: "live", roles: ["engine"], typeIds: [1], inFlight, places: 4 };
  const cluster = { nodes: Array.from({ length: nodes }, () => node as unknown as NodeReport) } as ClusterReport;
  const page = toTypePage(
    { countedAt: 0, types: [{ ...FIGURES, overdue }] },
    {
      cluster,
      standing: { ofType: () => ({ ...FREE, ...standing }) } as never,
      apiKey: { namespace: "shop", cluster: true },
      page: { limit: 10, after: 0 },
    },
  );
  return page.items[0]!.waitsFor;
}

test("overdue tasks wait for the end of a pause, a node, the next trial, their turn within a limit, a place: the first that holds", () => {
  const isLimitFull = true;
  const pause = PAUSE;
  const breaker = BREAKER;
  const waits = [
    waitOf({ pause, isLimitFull }, { nodes: 0 }),
    waitOf({ isLimitFull, breaker }, { nodes: 0 }),
    waitOf({ isLimitFull, breaker }, { inFlight: 4 }),
    waitOf({ isLimitFull }, { inFlight: 4 }),
    waitOf({}, { inFlight: 4 }),
    waitOf({}),
    waitOf({ isLimitFull }, { overdue: 0 }),
  ];
  expect(waits).toEqual(["PAUSE", "HANDLER", "BREAKER", "LIMIT", "CAPACITY", null, null]);
});
