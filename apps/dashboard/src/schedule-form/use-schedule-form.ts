import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem, type Problem } from "../api/problem.js";
import type { ScheduleInput } from "../api/asked.js";
import type { Schedule } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { goTo } from "../place/place.js";
import { toast } from "../ui/toast.js";
import { draftOf, scheduleInputOf, type ScheduleDraft } from "./schedule-draft.js";

interface FormState {
  readonly draft: ScheduleDraft;
  /** What is changed, as it was read; null: it is new. */
  readonly base: Schedule | null;
}

export type ScheduleForm = ReturnType<typeof useScheduleForm>;

/** The form's state. Whatever the answer, what was typed stays until it is stored. */
export function useScheduleForm(api: TickwheelApi, first: FormState) {
  const state = useSignal(first);
  const problem = useSignal<Problem | null>(null);
  /** What somebody else has stored meanwhile. */
  const current = useSignal<Schedule | null>(null);
  const isBusy = useSignal(false);

  const send = async (): Promise<void> => {
    const { draft, base } = state.value;
    const reading = scheduleInputOf(draft, base);
    const answer = reading.ok
      ? await store(api, base, reading.input)
      : ({ ok: false, problem: localProblem("Not sent", null, reading.errors) } as const);
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) return leave(answer);
    if (base && answer.problem.status === 412) current.value = await newest(api, base.name);
  };
  const submit = async (): Promise<void> => {
    if (isBusy.value || current.value) return;
    isBusy.value = true;
    await send();
    isBusy.value = false;
  };
  const goOnFrom = (draft: ScheduleDraft): void => {
    state.value = { draft, base: current.value };
    current.value = null;
    problem.value = null;
  };
  return {
    ...state.value,
    problem: problem.value,
    current: current.value,
    isBusy: isBusy.value,
    submit,
    change: (fields: Partial<ScheduleDraft>) => {
      state.value = { ...state.value, draft: { ...state.value.draft, ...fields } };
    },
    /** What was typed is to replace what there is now. */
    keep: () => goOnFrom(state.value.draft),
    /** What there is now replaces what was typed. */
    take: () => goOnFrom(draftOf(current.value!)),
  };
}

function store(api: TickwheelApi, base: Schedule | null, input: ScheduleInput): Promise<Answer<Schedule>> {
  return base === null ? api.schedules.create(input) : api.schedules.put(base.name, input, base.revision);
}

function leave({ value, outcome }: { value: Schedule; outcome: string | null }): void {
  const said: Readonly<Record<string, string>> = { changed: "Saved.", unchanged: "Nothing was to be changed." };
  toast(said[outcome ?? ""] ?? "Created.");
  goTo({ page: "schedule", name: value.name });
}

async function newest(api: TickwheelApi, name: string): Promise<Schedule | null> {
  const answer = await api.schedules.get(name);
  return answer.ok ? answer.value : null;
}
