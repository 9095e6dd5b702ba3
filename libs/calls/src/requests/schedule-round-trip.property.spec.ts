import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS } from "@tickwheel/core";
import type { ScheduleRequest } from "@tickwheel/engine";
import { newStoredSchedule, readSchedule, type StoredSchedule } from "@tickwheel/schedules";
import fc from "fast-check";
import { isoInstant } from "@tickwheel/contract";
import { AnnouncedSchemas } from "../payloads/announced-schemas.js";
import { PayloadCheck } from "../payloads/payload-check.js";
import { toScheduleRequest } from "./schedule-request.js";
import { toScheduleView } from "./schedule-view.js";

const NOW = Date.UTC(2026, 10, 21, 8);
const ID = "01900000-0000-7000-8000-000000000000";
const NAMESPACE = "default";
const nothing = new AnnouncedSchemas(
  () => undefined,
  () => undefined,
);
const caller = {
  namespace: NAMESPACE,
  actor: "key:1",
  deliveries: { webhookHosts: { permits: () => true }, brokers: { faultOf: () => null }, scheduler: DEFAULT_OPTIONS },
  payloads: new PayloadCheck(NAMESPACE, nothing),
} as unknown as Parameters<typeof toScheduleRequest>[1];
/** What only an answer has. */
const TOLD = [
  "id",
  "namespace",
  "state",
  "nextAt",
  "waitingFor",
  "pause",
  "backfill",
  "failures",
  "application",
  "revision",
];
const WHEN = ["createdAt", "createdBy", "changedAt", "changedBy"];

const policies = {
  onResume: fc.constantFrom("skip", "last"),
  jitter: fc.constantFrom(0, "2m", 1_500),
  catchUpLimit: fc.constantFrom(null, "6h"),
  pauseAfterFailures: fc.constantFrom(null, 3),
  holdForRetry: fc.boolean(),
  startDeadline: fc.constantFrom(null, "5m"),
};
const ofChains = {
  misfire: fc.constantFrom("last", "skip", "all"),
  overlap: fc.constantFrom("skip", "buffer", "allow", "cancel-other"),
};
const cron = fc.record(
  {
    ...ofChains,
    ...policies,
    cron: fc.constantFrom("0 3 * * *", "*/5 * * * * 1-5", "0 12 L * *"),
    timeZone: fc.constantFrom("UTC", "Europe/Berlin"),
    gap: fc.constantFrom("shift", "skip"),
    fold: fc.constantFrom("first", "last", "both"),
  },
  { requiredKeys: ["cron"] },
);
const every = fc.record(
  {
    ...ofChains,
    ...policies,
    every: fc.constantFrom("15m", 1_000),
    anchor: fc.constantFrom(null, isoInstant(NOW - 7)),
  },
  { requiredKeys: ["every"] },
);
const after = fc.record({ ...policies, after: fc.constantFrom("15m", 1_000) }, { requiredKeys: ["after"] });
const limited = fc
  .oneof(cron, every)
  .map((rules) => ("misfire" in rules && rules.misfire === "all" ? { ...rules, limit: 7 } : rules));
const excluding = fc.constantFrom(
  {},
  { exclude: [] },
  { exclude: ["2026-12-24", "2026-12-31"], timeZone: "Asia/Tokyo" },
);
const rest = fc.record(
  {
    payload: fc.json().map((text) => JSON.parse(text) as unknown),
    startsAt: fc.constantFrom(null, isoInstant(NOW)),
    endsAt: fc.constantFrom(null, "2026-12-31T23:00:00Z", "2026-11-21T09:00:00+01:30"),
    priority: fc.integer({ min: 0, max: 9 }),
    maxAttempts: fc.constantFrom(null, 1, 7),
    timeout: fc.constantFrom(null, "30s"),
    tags: fc.constantFrom([], ["vip", "eu"]),
    backoff: fc.constantFrom(
      "alipay",
      { kind: "fixed", delay: "10s" },
      { kind: "exponential", max: "1m" },
      {
        kind: "ladder",
        delays: ["4m", 600_000],
      },
    ),
    deliver: fc.constantFrom(
      null,
      { kind: "webhook", url: "https://shop.example/hook" },
      { kind: "webhook", url: "https://shop.example/hook", headers: { "x-a": "1" }, expectBody: "ok" },
    ),
  },
  { requiredKeys: [] },
);
const inputs = fc
  .tuple(fc.oneof(limited, after), excluding, rest)
  .map(([rules, days, others]) => ({ name: "s", type: "order.settle", ...rules, ...days, ...others }))
  // A window that is empty is refused at once.
  .filter(({ startsAt, endsAt }) => !startsAt || !endsAt || Date.parse(endsAt) > Date.parse(startsAt));

function storedOf({ type, payload, rules, options }: ScheduleRequest): StoredSchedule {
  const { faults, definition } = readSchedule(rules, { id: ID, createdAt: NOW });
  expect(faults).toEqual([]);
  const { id: _id, createdAt: _createdAt, ...kept } = definition!;
  const content = { typeId: 1, type, payload, definition: kept, taskOptions: options, source: null };
  return newStoredSchedule({ ...content, id: ID, namespace: NAMESPACE, name: "s", actor: "key:1" }, NOW);
}

test("an answer about a schedule, but for what the scheduler alone tells, is the same definition again", () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const stored = storedOf(toScheduleRequest(input, caller));
      const view = toScheduleView(stored, { payload: JSON.parse(stored.payload) as unknown, now: NOW }, isoInstant);
      const body = JSON.parse(JSON.stringify(view)) as Record<string, unknown>;
      for (const field of [...TOLD, ...WHEN]) delete body[field];
      expect(storedOf(toScheduleRequest(body, caller))).toEqual(stored);
    }),
  );
});

test("a field of a schedule that the scheduler alone tells is no field of an input", () => {
  const stored = storedOf(toScheduleRequest({ name: "s", type: "t", every: "1m" }, caller));
  const view = toScheduleView(stored, { payload: null, now: NOW }, isoInstant);
  const unknown = [...TOLD, ...WHEN].filter((field) => {
    const refused = { name: "s", type: "t", every: "1m", [field]: view[field as keyof typeof view] };
    return faultsOf(() => toScheduleRequest(refused, caller)).includes(field);
  });
  expect(unknown).toEqual([...TOLD, ...WHEN]);
});

function faultsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return (error as { faults: { path: string }[] }).faults.map(({ path }) => path);
  }
}
