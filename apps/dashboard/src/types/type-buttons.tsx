import { useSignal } from "@preact/signals";
import type { Problem } from "../api/problem.js";
import type { TypeFigures } from "../api/wire.js";
import { PausingDialog } from "../session/pausing-dialog.js";
import { api, whyReadOnly } from "../session/session.js";
import { ProblemView } from "../ui/problem-view.js";
import { toast } from "../ui/toast.js";
import { TypeSettingsDialog } from "./type-settings-dialog.js";
import { changeText } from "./type-words.js";

/** What can be done with a type: pause or resume it, and behind `…` what is set of it. */
export function TypeButtons({ figures }: { figures: TypeFigures }) {
  const { type, pause } = figures;
  const asked = useSignal<"pause" | "settings" | null>(null);
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const close = (): void => void (asked.value = null);
  const resume = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const answer = await api.settings.resumeType(type);
    isBusy.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) toast(changeText("Resumed.", answer.value));
  };
  const locked = { disabled: whyReadOnly.value !== null, title: whyReadOnly.value ?? undefined };
  return (
    <>
      <div class="actions">
        {pause?.type === type ? (
          <button type="button" {...locked} aria-disabled={isBusy.value} onClick={() => void resume()}>
            Resume
          </button>
        ) : (
          <button type="button" {...locked} onClick={() => (asked.value = "pause")}>
            Pause…
          </button>
        )}
        <button type="button" {...locked} aria-label={`Settings of ${type}`} onClick={() => (asked.value = "settings")}>
          …
        </button>
      </div>
      {problem.value && <ProblemView problem={problem.value} />}
      {asked.value === "pause" && <PauseTypeDialog type={type} onClose={close} />}
      {asked.value === "settings" && <TypeSettingsDialog figures={figures} onClose={close} />}
    </>
  );
}

function PauseTypeDialog({ type, onClose }: { type: string; onClose: () => void }) {
  return (
    <PausingDialog
      title={`Pause ${type}?`}
      confirm="Pause type"
      pause={(body) => api.settings.pauseType(type, body)}
      onPaused={(change) => toast(changeText("Paused.", change))}
      onClose={onClose}
    >
      <p>
        None of its tasks starts; what runs goes on. Countdowns and start deadlines go on too: what became due meanwhile
        starts at the end, the oldest first.
      </p>
    </PausingDialog>
  );
}
