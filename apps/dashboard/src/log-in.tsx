import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "./api/problem.js";
import { logIn } from "./session.js";
import { ProblemView } from "./ui/problem-view.js";

/** Asks for the API key. `message` says why the page was left. */
export function LogIn({ message }: { message: string | null }) {
  const problem = useSignal<Problem | null>(null);
  const isBusy = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Log in – Tickwheel";
    field.current?.focus();
  }, []);

  const tryKey = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = await logIn(field.current?.value.trim() ?? "");
    isBusy.value = false;
    field.current?.select();
  };

  return (
    <main class="log-in">
      <h1>
        Tickwheel <span class="host">{location.host}</span>
      </h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void tryKey();
        }}
      >
        {!problem.value && message && <MessageOut text={message} />}
        {problem.value && <Refusal problem={problem.value} />}
        <label for="api-key">API key</label>
        <input
          id="api-key"
          ref={field}
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby="api-key-hint"
        />
        <p id="api-key-hint" class="hint">
          It is kept in memory only: a reload asks again.
        </p>
        <button type="submit" class="primary" aria-disabled={isBusy.value}>
          {isBusy.value ? "Logging in…" : "Log in"}
        </button>
      </form>
    </main>
  );
}

function Refusal({ problem }: { problem: Problem }) {
  return problem.status === 401 ? (
    <MessageOut text="This API key is not accepted: it is wrong, revoked or expired." />
  ) : (
    <ProblemView problem={problem} />
  );
}

function MessageOut({ text }: { text: string }) {
  return (
    <div class="problem" role="alert">
      {text}
    </div>
  );
}
