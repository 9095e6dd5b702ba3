import { type BootId, type ClaimedTask, errorText, type Leadership, type TypePolicy } from "@tickwheel/core";
import type { AnnouncedSchedule, ScheduleStore } from "@tickwheel/schedules";
import type { EngineContext } from "../runtime/engine-context.js";
import type { PeriodicService } from "../runtime/periodic-service.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { CodeScheduleKeeper } from "./code-schedule-keeper.js";
import { StartedOccurrences } from "./occurrence-facts.js";
import type { Announcer } from "../requests/announcer.js";
import { type PlannerParts, SchedulePlanner } from "./schedule-planner.js";
import { ScheduleService } from "./schedule-service.js";

/** The version of the rules of time zones that this process has. */
const TZDATA = process.versions["tz"] ?? null;

export interface NodeScheduleParts {
  store: ScheduleStore;
  types: TypeDirectory;
  /** What this node's handler wants; for a type whose policy this node has not read yet. */
  defaultsOf(namespace: string, type: string): TypePolicy;
  /** Null: the node runs no tasks, so it plans nothing by itself. */
  member: { readonly bootId: BootId | null; leadership(): Leadership | null } | null;
  /** What this node's code defines; read at each announcement. */
  definitions(): readonly AnnouncedSchedule[];
  announcer: Announcer;
  quota: PlannerParts["quota"];
}

/** The schedules of a node: their use cases, and with the engine their planner and the announcement of its code's. */
export class NodeSchedules {
  readonly service: ScheduleService;
  readonly occurrences: StartedOccurrences;
  /** Background work; none without the engine. */
  readonly services: readonly PeriodicService[];
  private readonly planner: SchedulePlanner;

  constructor(context: EngineContext, parts: NodeScheduleParts) {
    const { store, types, member, announcer, quota } = parts;
    const { random, options, telemetry, dbClock } = context;
    this.planner = new SchedulePlanner(context, {
      store,
      random,
      maxWebhookTimeoutMs: options.maxWebhookTimeoutMs,
      policyOf: ({ typeId, namespace, type }) => types.get(typeId)?.policy ?? parts.defaultsOf(namespace, type),
      announcer,
      quota,
      zoneRules: TZDATA,
      liveLimit: options.liveOccurrencesPerSchedule,
      ...plannerEvents(telemetry),
    });
    const limits = {
      quota: options.scheduleQuotaPerNamespace,
      catchUp: options.scheduleMisfireLimit,
      backfill: options.scheduleBackfillLimit,
    };
    this.service = new ScheduleService({ store, planner: this.planner, types, dbClock, random, limits });
    this.occurrences = new StartedOccurrences(store);
    this.services =
      member === null
        ? []
        : [
            this.planner,
            new CodeScheduleKeeper(context, {
              store,
              service: this.service,
              member,
              schedules: () => parts.definitions(),
            }),
          ];
  }

  /** An execution of this node has ended its task. */
  taskEnded(task: Pick<ClaimedTask, "key">): void {
    this.planner.taskEnded(task);
  }
}

/** What the planner tells people. */
function plannerEvents(
  telemetry: EngineContext["telemetry"],
): Pick<PlannerParts, "tookOver" | "pausedItself" | "cannotDecide"> {
  return {
    tookOver: (schedules) =>
      telemetry.emit({
        name: "schedule.rules.new",
        level: "info",
        message: `${schedules} schedules that were planned under older rules of time zones now follow this node's`,
        facts: { schedules, tzdata: TZDATA },
      }),
    pausedItself: ({ schedule: { id, namespace, name, planning } }) =>
      telemetry.emit({
        name: "schedule.paused",
        level: "warn",
        message: `the schedule ${name} has paused itself: ${planning.failures} occurrences in a row failed`,
        facts: { id, namespace, schedule: name, failures: planning.failures },
      }),
    cannotDecide: ({ id, namespace, name }, schedules, error) =>
      telemetry.emit({
        name: "schedule.undecided",
        level: "error",
        message: `this node cannot decide when the schedule ${name} runs, and waits: ${errorText(error)}`,
        facts: { id, namespace, schedule: name, schedules },
      }),
  };
}
