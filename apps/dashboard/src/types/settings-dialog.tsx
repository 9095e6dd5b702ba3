import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { TypeChange } from "../api/wire.js";
import { AskingDialog } from "../session/asking-dialog.js";
import type { Drafted } from "../ui/draft-input.js";
import { toast } from "../ui/toast.js";
import type { DraftReading } from "./limits-draft.js";
import { changeText } from "./type-words.js";

interface SettingsDialogProps<Draft, Body> {
  title: string;
  /** What is set now. */
  draft: Draft;
  read: (draft: Draft) => DraftReading<Body>;
  change: (body: Body) => Promise<Answer<Pick<TypeChange, "waitingFor">>>;
  onSent: () => void;
  onClose: () => void;
  /** The fields. Their faults are told above them all. */
  children: (drafted: Drafted<Draft>) => ComponentChildren;
}

/** Asks what is to be set, and says which nodes do not obey it yet. */
export function SettingsDialog<Draft, Body>({ read, change, children, ...dialog }: SettingsDialogProps<Draft, Body>) {
  const draft = useSignal(dialog.draft);
  const send = async (): Promise<Answer<unknown>> => {
    const reading = read(draft.value);
    if (!reading.ok) return { ok: false, problem: localProblem("Not sent", reading.why) };
    const answer = await change(reading.body);
    if (answer.ok) toast(changeText("Set.", answer.value));
    return answer;
  };
  const onChange = (fields: Partial<Draft>): void => void (draft.value = { ...draft.value, ...fields });
  return (
    <AskingDialog title={dialog.title} confirm="Set" send={send} onSent={dialog.onSent} onClose={dialog.onClose}>
      {children({ draft: draft.value, faults: [], onChange })}
    </AskingDialog>
  );
}
