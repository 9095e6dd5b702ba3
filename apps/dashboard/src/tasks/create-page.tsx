import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem, type Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Task } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { whyReadOnly } from "../session/session.js";
import { Banner } from "../ui/banner.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView } from "../ui/problem-view.js";
import { DraftFields } from "./draft-fields.js";
import { inputOf, newDraft, newIdempotencyKey, type TaskDraft } from "./task-draft.js";

const outcomes: Record<string, string> = {
  created: "Created",
  replaced: "Created; it replaces the live task with this key",
  existing: "Nothing created: this live task has the key",
  refreshed: "Refreshed the live task with this key",
  merged: "Merged into the live task with this key",
};

interface Created {
  readonly text: string;
  readonly id: string;
}

export function CreatePage({ api }: { api: TickwheelApi }) {
  const form = useCreation(api);
  const { draft, problem, created, isBusy } = form;
  return (
    <>
      <PageHead name="New task" sub="It is stored before this page says so, and runs once it is due." />
      <form
        class="panel form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        {problem && <ProblemView problem={problem} />}
        <div aria-live="polite">{created && <CreatedNote created={created} />}</div>
        <DraftFields draft={draft} faults={problem?.errors ?? []} onChange={form.change} />
        <div class="actions">
          <button type="submit" class="primary" disabled={whyReadOnly.value !== null} aria-disabled={isBusy}>
            {isBusy ? "Creating…" : "Create task"}
          </button>
          {whyReadOnly.value && <p class="small muted">{whyReadOnly.value}</p>}
        </div>
      </form>
    </>
  );
}

/**
 * The form's state. The idempotency key stays until a task is acknowledged, so that a second try after a lost answer
 * creates nothing twice.
 */
function useCreation(api: TickwheelApi) {
  const draft = useSignal(newDraft());
  const problem = useSignal<Problem | null>(null);
  const created = useSignal<Created | null>(null);
  const isBusy = useSignal(false);

  const settle = (answer: Answer<Task>): void => {
    problem.value = answer.ok ? null : answer.problem;
    if (!answer.ok) return;
    created.value = { text: outcomes[answer.outcome ?? "created"] ?? "Created", id: answer.value.id };
    draft.value = { ...draft.value, idempotencyKey: newIdempotencyKey() };
  };
  const submit = async (): Promise<void> => {
    if (isBusy.value) return;
    created.value = null;
    const reading = inputOf(draft.value);
    if (!reading.ok) {
      problem.value = localProblem("Not sent", null, reading.errors);
      return;
    }
    isBusy.value = true;
    settle(await api.create(reading.input));
    isBusy.value = false;
  };
  const change = (fields: Partial<TaskDraft>): void => {
    draft.value = { ...draft.value, ...fields };
  };
  return { draft: draft.value, problem: problem.value, created: created.value, isBusy: isBusy.value, submit, change };
}

function CreatedNote({ created: { text, id } }: { created: Created }) {
  return (
    <Banner severity="good" role="status" title={`${text}:`}>
      <a class="mono" href={fragmentOf({ page: "task", id })}>
        {id}
      </a>
    </Banner>
  );
}
