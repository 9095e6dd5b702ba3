import { useSignal } from "@preact/signals";
import type { Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DeadGroupDetails } from "../api/wire.js";
import { mayAs, whyReadOnly } from "../session/session.js";
import { ProblemView } from "../ui/problem-view.js";
import { toast } from "../ui/toast.js";
import { isUnseen } from "./dead-words.js";

interface SeenButtonProps {
  api: TickwheelApi;
  group: DeadGroupDetails;
  onSeen: (group: DeadGroupDetails) => void;
}

/** Says that somebody has looked at a cause, where nobody has since a task died of it. */
export function SeenButton({ api, group, onSeen }: SeenButtonProps) {
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const { type, fingerprint } = group;
  if (fingerprint === null || !mayAs("operator") || !isUnseen(group)) return null;
  const see = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const answer = await api.deadLetters.see(type, fingerprint);
    isBusy.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (!answer.ok) return;
    toast("It is told again when a further task dies of it.");
    onSeen(answer.value);
  };
  return (
    <>
      <button
        type="button"
        class="tiny"
        disabled={whyReadOnly.value !== null}
        title={whyReadOnly.value ?? undefined}
        aria-disabled={isBusy.value}
        onClick={() => void see()}
      >
        I have looked
      </button>
      {problem.value && <ProblemView problem={problem.value} />}
    </>
  );
}
