import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "../api/problem.js";
import { Dialog } from "../ui/dialog.js";
import { FormField } from "../ui/form-field.js";
import { Icon } from "../ui/icon.js";
import { ProblemView } from "../ui/problem-view.js";
import { logIn, logOut, restoreProblem } from "./session.js";

const aboutKeys = "https://github.com/tickwheel/tickwheel/blob/main/docs/guides/install.md#the-first-key";

/** The whole page, for who is not logged in. */
export function LogInPage() {
  useEffect(() => {
    document.title = "Log in – Tickwheel";
  }, []);
  return (
    <main class="gate">
      <h1 class="sr">Log in</h1>
      <div>
        <p class="brand">
          <Icon name="brand" />
          Tickwheel
        </p>
        <section class="panel" aria-label="Log in">
          <p class="gate-host">
            <span class="sq" />
            <b class="strong">{location.host}</b>
          </p>
          {restoreProblem.value && <ProblemView problem={restoreProblem.value} />}
          <LogInForm />
        </section>
        <div class="small muted gate-hint">
          <p>No key? Who runs this Tickwheel has one, and makes you yours: an administrator's key makes others.</p>
          <p>
            The first is in <code>TICKWHEEL_API_KEY</code> where the node or the application was started; without it the
            first start of a node made one and printed it once.{" "}
            <a href={aboutKeys} target="_blank" rel="noreferrer">
              The guide on keys
            </a>
          </p>
        </div>
      </div>
    </main>
  );
}

/** Over the page whose session has ended: what was written there stays. */
export function LogInDialog() {
  return (
    <Dialog title="Your session has ended">
      <p class="muted">Log in again to go on. What you wrote is kept on this page.</p>
      <LogInForm />
      <button type="button" class="bare" onClick={() => void logOut()}>
        Leave this page
      </button>
    </Dialog>
  );
}

function LogInForm() {
  const problem = useSignal<Problem | null>(null);
  const isBusy = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  const tryKey = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = await logIn(field.current?.value.trim() ?? "");
    isBusy.value = false;
    if (problem.value) field.current?.select();
  };

  return (
    <form
      class="log-in"
      onSubmit={(event) => {
        event.preventDefault();
        void tryKey();
      }}
    >
      {problem.value && <Refusal problem={problem.value} />}
      <FormField
        label="API key"
        hint="It is exchanged for a session of 12 hours and is not kept in this browser."
        control={(control) => (
          <input
            {...control}
            ref={field}
            aria-invalid={problem.value !== null}
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
          />
        )}
      />
      <button type="submit" class="primary" aria-disabled={isBusy.value}>
        {isBusy.value ? "Logging in…" : "Log in"}
      </button>
    </form>
  );
}

function Refusal({ problem }: { problem: Problem }) {
  if (problem.status !== 401) return <ProblemView problem={problem} />;
  return (
    <p class="tint is-dead small refusal" role="alert">
      <Icon name="dead" />
      <span>This key is not known, or it was revoked or has expired.</span>
    </p>
  );
}
