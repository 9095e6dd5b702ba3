import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "../api/problem.js";
import type { ScheduleBackfill } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { localTime } from "../time/wall-clock.js";
import { rangeOf } from "./backfill-words.js";

const dayMs = 86_400_000;
/** How long typing must pause before the dry run is asked for. */
const pauseMs = 250;

/** A range that is typed, and what the server says that it would do. A dry run is asked for at each change. */
export function useBackfill(api: TickwheelApi, name: string) {
  const from = useSignal(localTime(Date.now() - dayMs));
  const to = useSignal(localTime(Date.now()));
  const includeUnknown = useSignal(false);
  const plan = useSignal<ScheduleBackfill | null>(null);
  const problem = useSignal<Problem | null>(null);
  const asked = useRef(0);
  const body = (dryRun: boolean) => {
    const range = rangeOf(from.value, to.value);
    return range && { ...range, dryRun, includeUnknown: includeUnknown.value };
  };
  const look = async (): Promise<void> => {
    const turn = ++asked.current;
    const range = body(true);
    const answer = range && (await api.schedules.backfill(name, range));
    if (turn !== asked.current) return;
    plan.value = answer?.ok ? answer.value : null;
    problem.value = answer && !answer.ok ? answer.problem : null;
  };
  useEffect(() => {
    plan.value = null;
    const timer = setTimeout(() => void look(), pauseMs);
    return () => clearTimeout(timer);
  }, [from.value, to.value, includeUnknown.value]);
  return { from, to, includeUnknown, plan: plan.value, problem: problem.value, body };
}
