import { DEFAULT_POLICIES, type ScheduleDefinition, type SchedulePolicies } from "@tickwheel/schedules";

/** What a test says of a schedule; the rest is as the defaults have it. */
export type Wanted = Partial<Omit<ScheduleDefinition, "policies">> & { policies?: Partial<SchedulePolicies> };

/** A schedule that was created at 0, hourly in UTC unless the test wants something else. */
export function definitionOf({ policies, ...wanted }: Wanted = {}): ScheduleDefinition {
  return {
    id: "0190a1b2-0000-7000-8000-000000000001",
    createdAt: 0,
    spec: { kind: "cron", cron: "0 * * * *" },
    timeZone: "UTC",
    window: { startsAt: null, endsAt: null },
    exclude: [],
    ...wanted,
    policies: { ...DEFAULT_POLICIES, ...policies },
  };
}
