import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import type { Problem } from "../api/problem.js";
import { whyReadOnly } from "./session.js";
import { Dialog } from "../ui/dialog.js";
import { ProblemView } from "../ui/problem-view.js";

interface AskingDialogProps {
  title: string;
  /** What the button that goes on says. */
  confirm: string;
  /** Whether it can go on as it stands. Default true. */
  isReady?: boolean;
  /** What it does cannot be undone. Default false. */
  isDanger?: boolean;
  /** Sends what was asked for; a problem of the page's own is an answer like any. */
  send: () => Promise<Answer<unknown>> | Answer<unknown>;
  onSent: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks for something before it acts. A refusal is told in it, and what was typed stays. */
export function AskingDialog({ title, confirm, isReady = true, isDanger = false, ...props }: AskingDialogProps) {
  const { send, onSent, onClose, children } = props;
  const id = useId();
  const problem = useSignal<Problem | null>(null);
  const isBusy = useSignal(false);
  const submit = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const answer = await send();
    isBusy.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) onSent();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button
            type="submit"
            form={id}
            class={isDanger ? "danger primary" : "primary"}
            disabled={whyReadOnly.value !== null || !isReady}
            title={whyReadOnly.value ?? undefined}
            aria-disabled={isBusy.value}
          >
            {confirm}
          </button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {problem.value && <ProblemView problem={problem.value} />}
        {children}
      </form>
    </Dialog>
  );
}
