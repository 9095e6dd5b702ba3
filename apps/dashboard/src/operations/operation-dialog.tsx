import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DryRun, OperationAction, TaskOperation } from "../api/wire.js";
import { goTo } from "../place/place.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { ProblemView } from "../ui/problem-view.js";
import { formatCount } from "../time/format.js";
import { Skeleton } from "../ui/skeleton.js";
import { toast } from "../ui/toast.js";
import { DryRunView } from "./dry-run-view.js";
import { OperationFields, TextField } from "./operation-fields.js";
import { emptyDraft, filterOf, isComplete, type Meant, type OperationDraft, questionOf } from "./operation-question.js";
import { isDangerous, isTyped, titleOf, titleOfMany } from "./operation-words.js";
import { useDryRun } from "./use-dry-run.js";

interface OperationDialogProps {
  api: TickwheelApi;
  action: OperationAction;
  meant: Meant;
  /** What speaks against it. */
  warning?: ComponentChildren;
  onClose: () => void;
  /** It has been started. */
  onStarted?: () => void;
}

/**
 * Asks before it does one thing to many tasks: what it needs, what it would do now, why, and where it reaches many,
 * their number. It is sent under a key of its own, so a lost answer starts it once.
 */
export function OperationDialog({ api, action, meant, warning, onClose, onStarted }: OperationDialogProps) {
  const { draft, change, question, tried, count, wanted, isReady, typed } = useDraft(api, action, meant);
  const key = useMemo(() => crypto.randomUUID(), []);
  const { dryRun, problem } = tried;
  const send = (): Promise<Answer<TaskOperation>> => api.operations.start({ ...question, ...expected(dryRun) }, key);
  const onSent = (): void => {
    toast("Started. It can be held, stopped and undone under Operations.");
    onClose();
    onStarted?.();
    goTo({ page: "operations" });
  };
  return (
    <AskingDialog
      send={send}
      onSent={onSent}
      onClose={onClose}
      isReady={isReady}
      title={dryRun === null ? titleOfMany(action) : titleOf(action, count)}
      confirm={dryRun === null ? "Go on" : titleOf(action, count)}
      isDanger={isDangerous(action)}
    >
      {warning}
      <OperationFields action={action} draft={draft} onChange={change} />
      {problem && <ProblemView problem={problem} />}
      {dryRun === null && problem === null && isComplete(action, draft) && <Skeleton lines={4} />}
      {dryRun && <DryRunView action={action} dryRun={dryRun} />}
      {count > 0 && (
        <TextField label="Reason (goes to the audit)" value={draft.reason} onInput={(reason) => change({ reason })} />
      )}
      {wanted !== null && (
        <TextField
          label="Number of tasks"
          hint={`Type ${formatCount(count)} to go on`}
          isNumber
          value={typed.value}
          onInput={(text) => (typed.value = text)}
        />
      )}
    </AskingDialog>
  );
}

/** What is filled in, what it comes to, and whether it may be sent. */
function useDraft(api: TickwheelApi, action: OperationAction, meant: Meant) {
  const draft = useSignal<OperationDraft>(emptyDraft);
  const typed = useSignal("");
  const filter = useMemo(() => filterOf(meant, Date.now()), []);
  const question = questionOf({ action, filter }, draft.value, isoOf);
  const { reason: _reason, ...dry } = question;
  // A discard needs a reason, and is tried dry before it has one.
  const asked = { ...dry, ...(action === "discard" && { reason: "tried dry" }) };
  const tried = useDryRun(api, isComplete(action, draft.value) ? asked : null);
  const count = tried.dryRun?.count ?? 0;
  const wanted = isTyped(action, count) ? String(count) : null;
  const isTypedWell =
    wanted === null || (typed.value.replace(/[,.\s]/g, "") === wanted && question.reason !== undefined);
  return {
    draft: draft.value,
    question,
    tried,
    count,
    wanted,
    typed,
    isReady: count > 0 && isTypedWell,
    change: (change: Partial<OperationDraft>): void => void (draft.value = { ...draft.value, ...change }),
  };
}

/** A count that ended early says nothing that could be expected. */
function expected(dryRun: DryRun | null): { expect?: number } {
  return dryRun === null || dryRun.incomplete || dryRun.isAtLeast ? {} : { expect: dryRun.count };
}

/** The instant of a local time; null: it is none. */
function isoOf(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
