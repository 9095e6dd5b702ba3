import type { TypeChangesBody } from "../api/setting-api.js";
import type { TypeFigures } from "../api/wire.js";
import { durationOf } from "../tasks/task-draft.js";
import { durationInput } from "../time/exact.js";
import {
  type DraftReading,
  type LimitsDraft,
  limitsDraftOf,
  numberText,
  readLimits,
  readNumbers,
} from "./limits-draft.js";

/** What is typed of a type's settings; empty: nothing is set. Pure. */
export interface TypeSettingsDraft extends LimitsDraft {
  readonly concurrency: string;
  readonly keepSucceeded: string;
  readonly keepCancelled: string;
  readonly keepDead: string;
}

export function draftOf({ settings, limits }: Pick<TypeFigures, "settings" | "limits">): TypeSettingsDraft {
  return {
    concurrency: numberText(settings.concurrency),
    ...limitsDraftOf(limits),
    keepSucceeded: lengthText(settings.keepSucceeded),
    keepCancelled: lengthText(settings.keepCancelled),
    keepDead: lengthText(settings.keepDead),
  };
}

export function readDraft(draft: TypeSettingsDraft): DraftReading<TypeChangesBody> {
  const { concurrency, keepSucceeded, keepCancelled, keepDead } = draft;
  const own = readNumbers({ concurrency: { label: "At once on each node", typed: concurrency, most: 10_000 } });
  if (!own.ok) return own;
  const limits = readLimits(draft);
  if (!limits.ok) return limits;
  const kept = {
    keepSucceeded: durationOrNull(keepSucceeded),
    keepCancelled: durationOrNull(keepCancelled),
    keepDead: durationOrNull(keepDead),
  };
  return { ok: true, body: { ...own.body, ...limits.body, ...kept } };
}

const lengthText = (lengthMs: number | null): string => (lengthMs === null ? "" : durationInput(lengthMs));

function durationOrNull(typed: string): number | string | null {
  return typed.trim() === "" ? null : durationOf(typed);
}
