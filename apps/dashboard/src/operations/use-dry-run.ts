import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { OperationQuestion } from "../api/asked.js";
import type { Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DryRun } from "../api/wire.js";

/** The wait before a dry run, so that it does not run for each letter that is typed. */
const settleMs = 400;

/** What is known of a question: its count, or why there is none; neither: it is being asked. */
export interface Tried {
  readonly dryRun: DryRun | null;
  readonly problem: Problem | null;
}

const asking: Tried = { dryRun: null, problem: null };

/** Tries an operation dry, and again whenever another is meant. Null: what it needs is not filled in yet. */
export function useDryRun(api: TickwheelApi, question: OperationQuestion | null): Tried {
  const tried = useSignal<Tried>(asking);
  const text = JSON.stringify(question);
  useEffect(() => {
    tried.value = asking;
    if (question === null) return;
    let isWanted = true;
    const ask = async (): Promise<void> => {
      const answer = await api.operations.dryRun(question);
      if (!isWanted) return;
      tried.value = answer.ok ? { dryRun: answer.value, problem: null } : { dryRun: null, problem: answer.problem };
    };
    const timer = setTimeout(() => void ask(), settleMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text]);
  return tried.value;
}
