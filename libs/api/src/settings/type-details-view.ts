import {
  isoInstant,
  type ScheduleBackoff,
  toBackoffView,
  toStandingView,
  type TypeStanding,
  type TypeStandingFields,
} from "@tickwheel/calls";
import type { TypePolicy } from "@tickwheel/core";
import type { TaskDefaults } from "@tickwheel/engine";
import type { DelayTaskNode } from "@tickwheel/nestjs";

/** A type: what the nodes that run it announce of its payloads, and what people have set. */
export interface TypeDetailsView extends TypeStandingFields<string> {
  type: string;
  /** JSON Schema (draft 2020-12). Null: none is announced, or this node has not read it yet. */
  payloadSchema: object | null;
  /** The version of new payloads; null: they have none. */
  payloadVersion: number | null;
  /** What a new task gets where its creator says nothing. */
  defaults: {
    maxAttempts: number;
    priority: number;
    backoff: ScheduleBackoff;
    timeout: number;
    startDeadline: number | null;
  };
}

interface Announced extends Pick<TypePolicy, "payloadSchema" | "payloadVersion"> {
  defaults: TaskDefaults;
}

/** What `node` has read of a type's announcements. */
export function announcedOf(
  { payloads, service }: Pick<DelayTaskNode, "payloads" | "service">,
  named: { namespace: string; type: string },
): Announced {
  return { ...payloads.shown(named), defaults: service.defaultsOf(named) };
}

export function toTypeDetails(
  type: string,
  standing: TypeStanding,
  { payloadSchema, payloadVersion, defaults }: Announced,
): TypeDetailsView {
  const { maxAttempts, priority, backoff, timeoutMs, startDeadlineMs } = defaults;
  return {
    type,
    payloadSchema: parsed(payloadSchema),
    payloadVersion: payloadVersion ?? null,
    defaults: {
      maxAttempts,
      priority,
      backoff: toBackoffView(backoff),
      timeout: timeoutMs,
      startDeadline: startDeadlineMs,
    },
    ...toStandingView(type, standing, isoInstant),
  };
}

function parsed(text: string | undefined): object | null {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    // Another node's library has made it.
    return null;
  }
}
