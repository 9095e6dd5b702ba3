import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import { localProblem, type Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Task, TypeDetails, TypePage } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { fragmentOf } from "../place/route.js";
import { whyReadOnly } from "../session/session.js";
import { nowFor } from "../time/ticking.js";
import { instantText } from "../time/zone.js";
import { Banner } from "../ui/banner.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { DraftFields } from "./draft-fields.js";
import { draftSentences } from "./draft-words.js";
import { useTypeDetails } from "./schema-fields.js";
import { draftLike, inputOf, newDraft, newIdempotencyKey, type TaskDraft } from "./task-draft.js";

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

interface CreatePageProps {
  api: TickwheelApi;
  /** The id of the task whose fields the form begins with. */
  from?: string;
}

export function CreatePage({ api, from }: CreatePageProps) {
  const model = useModel(api, from);
  return (
    <>
      <PageHead name="New task" sub="It is stored before this page says so, and runs once it is due." />
      {model === null && <Skeleton lines={8} />}
      {model && !model.ok && <ProblemView problem={model.problem} />}
      {model?.ok && <CreateForm api={api} start={model.draft} like={from} />}
    </>
  );
}

type Model = { readonly ok: true; readonly draft: TaskDraft } | { readonly ok: false; readonly problem: Problem };

/** What the form begins with; null: the task is still to come. */
function useModel(api: TickwheelApi, from: string | undefined): Model | null {
  const model = useSignal<Model | null>(from === undefined ? { ok: true, draft: newDraft() } : null);
  useEffect(() => {
    if (from === undefined) return;
    void api.task(from).then((answer) => {
      model.value = answer.ok ? { ok: true, draft: draftLike(answer.value) } : answer;
    });
  }, []);
  return model.value;
}

interface CreateFormProps {
  api: TickwheelApi;
  start: TaskDraft;
  /** The id of the task that it is like. */
  like: string | undefined;
}

function CreateForm({ api, start, like }: CreateFormProps) {
  const form = useCreation(api, start);
  const { draft, problem, created, isBusy } = form;
  const details = useTypeDetails(draft.type);
  const types = useReading<TypePage>("/types").value;
  return (
    <>
      {like !== undefined && (
        <p class="small muted">
          Like the task{" "}
          <a class="mono" href={fragmentOf({ page: "task", id: like })}>
            {like}
          </a>
          , without its key and its time.
        </p>
      )}
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
        <DraftFields
          draft={draft}
          details={details}
          faults={problem?.errors ?? []}
          onChange={form.change}
          types={types && types.items.map(({ type }) => type)}
        />
        <WhatItDoes draft={draft} defaults={details?.defaults ?? null} />
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

/** What sending the form will do. */
function WhatItDoes({ draft, defaults }: { draft: TaskDraft; defaults: TypeDetails["defaults"] | null }) {
  const moment = { now: nowFor(Date.now()), instantText };
  return (
    <p class="what-it-does" role="note" aria-label="What it will do">
      {draftSentences(draft, defaults, moment).join(" ")}
    </p>
  );
}

/**
 * The form's state. The idempotency key stays until a task is acknowledged, so that a second try after a lost answer
 * creates nothing twice.
 */
function useCreation(api: TickwheelApi, start: TaskDraft) {
  const draft = useSignal(start);
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
