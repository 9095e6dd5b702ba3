import { useRef } from "preact/hooks";
import type { Schedule } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { useReading } from "../feeds/use-reading.js";
import { fragmentOf } from "../place/route.js";
import { whyReadOnly } from "../session/session.js";
import { ownZone } from "../time/zone.js";
import { Banner } from "../ui/banner.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView } from "../ui/problem-view.js";
import { ChangedMeanwhile } from "./changed-meanwhile.js";
import { MissingSchedule } from "../schedules/schedule-page.js";
import { draftOf, newScheduleDraft } from "./schedule-draft.js";
import { ScheduleFields } from "./schedule-fields.js";
import { useScheduleForm, type ScheduleForm } from "./use-schedule-form.js";

/** The form for a schedule that there is not yet. */
export function ScheduleCreatePage({ api }: { api: TickwheelApi }) {
  const form = useScheduleForm(api, { base: null, draft: newScheduleDraft(ownZone()) });
  return (
    <>
      <PageHead name="New schedule" sub="It plans its first run as soon as it is stored." />
      <FormPanel form={form} confirm="Create schedule" busy="Creating…" />
    </>
  );
}

/** The form for a schedule as it was when the page was opened: what is typed is never overwritten by a later one. */
export function ScheduleEditPage({ api, name }: { api: TickwheelApi; name: string }) {
  const feed = useReading<Schedule>(`/schedules/${encodeURIComponent(name)}`);
  const first = useRef<Schedule | null>(null);
  first.current ??= feed.value;
  if (first.current === null) return <MissingSchedule schedule={feed} />;
  if (first.current.payloadMasked) return <MaskedSchedule name={name} />;
  return <EditForm api={api} schedule={first.current} />;
}

/** What is stored takes the place of all that there was, so nobody stores what he was not shown. */
function MaskedSchedule({ name }: { name: string }) {
  return (
    <>
      <PageHead name={`Edit ${name}`} sub={<a href={fragmentOf({ page: "schedule", name })}>Back to the schedule</a>} />
      <Banner severity="warning" title="You may not see its payload">
        <p>
          The form stores the whole schedule with its payload: that needs the right <code>payload</code>.
        </p>
      </Banner>
    </>
  );
}

function EditForm({ api, schedule }: { api: TickwheelApi; schedule: Schedule }) {
  const form = useScheduleForm(api, { base: schedule, draft: draftOf(schedule) });
  const { name, application } = schedule;
  return (
    <>
      <PageHead
        name={`Edit ${name}`}
        sub={
          <>
            A run that goes on keeps its old definition; what has not started is planned anew.{" "}
            <a href={fragmentOf({ page: "schedule", name })}>Back to the schedule</a>
          </>
        }
      />
      {application !== null && (
        <Banner severity="warning" title="Its definition stands in code">
          <p>The code of {application} puts its own back within seconds: change it there.</p>
        </Banner>
      )}
      <FormPanel form={form} confirm="Save schedule" busy="Saving…" />
    </>
  );
}

interface FormPanelProps {
  form: ScheduleForm;
  confirm: string;
  busy: string;
}

function FormPanel({ form, confirm, busy }: FormPanelProps) {
  const { draft, base, problem, current, isBusy, submit, change } = form;
  return (
    <form
      class="panel form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {problem && <ProblemView problem={problem} />}
      {base && current && (
        <ChangedMeanwhile base={base} current={current} draft={draft} onKeep={form.keep} onTake={form.take} />
      )}
      <ScheduleFields draft={draft} faults={problem?.errors ?? []} isNew={base === null} onChange={change} />
      <div class="actions">
        <button
          type="submit"
          class="primary"
          disabled={whyReadOnly.value !== null || current !== null}
          aria-disabled={isBusy}
        >
          {isBusy ? busy : confirm}
        </button>
        {whyReadOnly.value && <p class="small muted">{whyReadOnly.value}</p>}
      </div>
    </form>
  );
}
