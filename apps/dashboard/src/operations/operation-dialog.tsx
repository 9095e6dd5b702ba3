import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DryRun, OperationAction, TaskOperation } from "../api/wire.js";
import { goTo } from "../place/place.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { toast } from "../ui/toast.js";
import { DryRunView } from "./dry-run-view.js";
import { OperationFields, TextField } from "./operation-fields.js";
import { emptyDraft, filterOf, isComplete, type Meant, type OperationDraft, questionOf } from "./operation-question.js";
import { countText, isDangerous, isTyped, titleOf } from "./operation-words.js";
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
  const draft = useSignal<OperationDraft>(emptyDraft);
  const typed = useSignal("");
  const { filter, key } = useMemo(() => ({ filter: filterOf(meant, Date.now()), key: crypto.randomUUID() }), []);
  const question = questionOf({ action, filter }, draft.value, isoOf);
  const { reason: _reason, ...dry } = question;
  const needsReason = action === "discard" ? { reason: "dry run" } : {};
  const { dryRun, problem } = useDryRun(api, isComplete(action, draft.value) ? { ...dry, ...needsReason } : null);
  const count = dryRun?.count ?? 0;
  const wanted = dryRun !== null && isTyped(action, count) ? String(count) : null;
  const isTypedWell = wanted === null || typed.value.replace(/[,.\s]/g, "") === wanted;
  const hasReason = draft.value.reason.trim() !== "" || wanted === null;
  const send = (): Promise<Answer<TaskOperation>> => api.operations.start({ ...question, ...expected(dryRun) }, key);
  const onSent = (): void => {
    toast("Started. It can be held, stopped and undone under Operations.");
    onClose();
    onStarted?.();
    goTo({ page: "operations" });
  };
  return (
    <AskingDialog
      {...{ send, onSent, onClose }}
      title={dryRun === null ? titleOf(action, 0).replace(/0 tasks$/, "tasks") : `${titleOf(action, count)}`}
      confirm={dryRun === null ? "Go on" : titleOf(action, count)}
      isReady={dryRun !== null && count > 0 && isTypedWell && hasReason}
      isDanger={isDangerous(action)}
    >
      {warning}
      <OperationFields
        action={action}
        draft={draft.value}
        onChange={(change) => (draft.value = { ...draft.value, ...change })}
      />
      {problem && <ProblemView problem={problem} />}
      {dryRun === null && problem === null && isComplete(action, draft.value) && <Skeleton lines={4} />}
      {dryRun && <DryRunView action={action} dryRun={dryRun} />}
      {dryRun && count > 0 && (
        <TextField
          label="Reason (goes to the audit)"
          value={draft.value.reason}
          onInput={(reason) => (draft.value = { ...draft.value, reason })}
        />
      )}
      {wanted !== null && <CountField dryRun={dryRun!} value={typed.value} onInput={(text) => (typed.value = text)} />}
    </AskingDialog>
  );
}

interface CountFieldProps {
  dryRun: DryRun;
  value: string;
  onInput: (text: string) => void;
}

/** Asks for the number of the tasks. */
function CountField({ dryRun, ...field }: CountFieldProps) {
  const count = countText({ ...dryRun, isAtLeast: false, incomplete: false });
  return <TextField label="Number of tasks" hint={`Type ${count} to go on`} isNumber {...field} />;
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
