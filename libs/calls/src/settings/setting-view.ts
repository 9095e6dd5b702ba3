import type { BreakerStanding, LimitStanding, NamespaceStanding, TypeStanding } from "./setting-standing.js";
import type {
  BreakerFields,
  LimitsFields,
  NamespaceStandingFields,
  PauseFields,
  TypeStandingFields,
} from "./setting-view.generated.js";
import type { Pause } from "@tickwheel/core";
import type { InstantForm } from "../requests/task-view.js";

/** How a type stands, in code. */
export type TypeStandingView = TypeStandingFields<Date>;
/** How a namespace stands, in code. */
export type NamespaceStandingView = NamespaceStandingFields<Date>;

/** @param type its name; null: the pause is the namespace's */
export function toPauseView<Instant>(
  { key, pausedAt, until, reason, pausedBy }: Pause,
  type: string | null,
  instantOf: InstantForm<Instant>,
): PauseFields<Instant> {
  const since = instantOf(pausedAt);
  const end = until === null ? null : instantOf(until);
  return { type, key, since, until: end, reason, by: pausedBy };
}

export function toStandingView<Instant>(
  type: string,
  { pause, limits, breaker, ...set }: TypeStanding,
  instantOf: InstantForm<Instant>,
): TypeStandingFields<Instant> {
  const { concurrency, keepSucceededMs: keepSucceeded, keepCancelledMs: keepCancelled, keepDeadMs: keepDead } = set;
  return {
    settings: { concurrency, keepSucceeded, keepCancelled, keepDead },
    limits: limits && toLimitsView(limits),
    breaker: breaker && toBreakerView(breaker, instantOf),
    pause: pause && toPauseView(pause, pause.typeId === null ? null : type, instantOf),
  };
}

export function toNamespaceView<Instant>(
  { pause, limits }: NamespaceStanding,
  instantOf: InstantForm<Instant>,
): NamespaceStandingFields<Instant> {
  return { limits: limits && toLimitsView(limits), pause: pause && toPauseView(pause, null, instantOf) };
}

function toBreakerView<Instant>(
  { state, since, until, failedTrials, node }: BreakerStanding,
  instantOf: InstantForm<Instant>,
): BreakerFields<Instant> {
  return { state, since: instantOf(since), until: instantOf(until), failedTrials, node };
}

function toLimitsView({ maxRunning, running, rate, tokens }: LimitStanding): LimitsFields {
  return { maxRunning, running, rate, tokens };
}
