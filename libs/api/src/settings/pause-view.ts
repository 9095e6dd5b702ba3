import { isoInstant } from "@tickwheel/calls";
import type { Pause } from "@tickwheel/core";
import type { TypeStanding } from "@tickwheel/calls";

/** What keeps tasks of a type, a namespace or a key from starting, as a client sees it. */
export interface PauseView {
  /** Null: the namespace is paused. */
  type: string | null;
  key: string | null;
  since: string;
  until: string | null;
  reason: string | null;
  by: string;
}

/** What is set of a type. Durations are milliseconds; null: what there is by default. */
export interface TypeSettingsView {
  concurrency: number | null;
  keepSucceeded: number | null;
  keepDead: number | null;
}

/** How a type stands by what people have set. */
export interface TypeStandingView {
  settings: TypeSettingsView;
  /** Its own, else that of its namespace. */
  pause: PauseView | null;
}

export function toPauseView({ key, pausedAt, until, reason, pausedBy }: Pause, type: string | null): PauseView {
  const [since, end] = [isoInstant(pausedAt), until === null ? null : isoInstant(until)];
  return { type, key, since, until: end, reason, by: pausedBy };
}

export function toStandingView(type: string, { pause, ...set }: TypeStanding): TypeStandingView {
  const { concurrency, keepSucceededMs: keepSucceeded, keepDeadMs: keepDead } = set;
  return {
    settings: { concurrency, keepSucceeded, keepDead },
    pause: pause && toPauseView(pause, pause.typeId === null ? null : type),
  };
}
