import { createHash } from "node:crypto";
import { TickwheelError } from "@tickwheel/core";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import type { NodeSchedule } from "../handlers/code-schedule.js";
import { canonicalOf, type PayloadCheck, toScheduleRequest } from "@tickwheel/calls";
import type { ResolvedNodeOptions } from "./node-options.js";

/**
 * The schedules of this application's code, as its node announces them.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault of every definition, by class and method; or for a
 *   name that stands twice
 */
export function codeSchedules(
  found: readonly NodeSchedule[],
  options: ResolvedNodeOptions,
  payloads: PayloadCheck,
): AnnouncedSchedule[] {
  const faults = namedTwice(found);
  const announced = found.flatMap((one) => {
    try {
      return [announcedOf(one, options, payloads)];
    } catch (error) {
      if (!(error instanceof TickwheelError)) throw error;
      faults.push(
        `${one.where} ("${one.name}"): ${error.faults.map((fault) => `${fault.path} ${fault.message}`).join("; ")}`,
      );
      return [];
    }
  });
  if (faults.length === 0) return announced;
  throw new TickwheelError("CONFIGURATION_INVALID", `Schedules in the code cannot be used: ${faults.join(". ")}`);
}

/** What an expression never comes to it never comes to from any time on; nobody knows the database's time yet. */
const ANY_TIME = 0;

function announcedOf(
  { name, type, rules, payload, tags }: NodeSchedule,
  { namespace, application, webhookHosts, brokers, scheduler }: ResolvedNodeOptions,
  payloads: PayloadCheck,
): AnnouncedSchedule {
  const given = { name, type, payload, tags, ...rules };
  const deliveries = { webhookHosts, brokers, scheduler };
  const request = toScheduleRequest(given, { namespace, actor: "", now: ANY_TIME, deliveries, payloads });
  const content = { type, payload: request.payload, rules: request.rules, options: request.options };
  const hash = createHash("sha256").update(canonicalOf(content)).digest("hex");
  return { namespace, name, application, hash, content };
}

function namedTwice(found: readonly NodeSchedule[]): string[] {
  const names = found.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...twice].map((name) => {
    const places = found.filter((one) => one.name === name).map(({ where }) => where);
    return `${places.join(" and ")} have one name, "${name}"`;
  });
}
