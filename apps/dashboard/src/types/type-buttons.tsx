import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import type { Problem } from "../api/problem.js";
import type { TypeFigures } from "../api/wire.js";
import { PausingDialog } from "../session/pausing-dialog.js";
import { api, whyReadOnly } from "../session/session.js";
import { ProblemView } from "../ui/problem-view.js";
import { toast } from "../ui/toast.js";
import { TypeSettingsDialog } from "./type-settings-dialog.js";
import { changeText } from "./type-words.js";

/** What is done with a type at once, and how that ended last. */
function useActions(type: string) {
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const act = async <Value,>(call: () => Promise<Answer<Value>>, done: (value: Value) => string): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const answer = await call();
    isBusy.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) toast(done(answer.value));
  };
  const resume = () =>
    act(
      () => api.settings.resumeType(type),
      (change) => changeText("Resumed.", change),
    );
  const closeBreaker = () =>
    act(
      () => api.settings.closeBreaker(type),
      () => "Closed: its tasks start again within seconds.",
    );
  return { isBusy, problem, resume, closeBreaker };
}

/** What can be done with a type: pause or resume it, close its breaker, and behind `…` what is set of it. */
export function TypeButtons({ figures }: { figures: TypeFigures }) {
  const { type, breaker, pause } = figures;
  const asked = useSignal<"pause" | "settings" | null>(null);
  const { isBusy, problem, resume, closeBreaker } = useActions(type);
  const close = (): void => void (asked.value = null);
  const locked = { disabled: whyReadOnly.value !== null, title: whyReadOnly.value ?? undefined };
  return (
    <>
      <div class="actions">
        {breaker && (
          <button type="button" {...locked} aria-disabled={isBusy.value} onClick={() => void closeBreaker()}>
            Close the breaker
          </button>
        )}
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
