import type { Signal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { Schedule, ScheduleBackfill } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { ownZone } from "../time/zone.js";
import { FormField } from "../ui/form-field.js";
import { ProblemView } from "../ui/problem-view.js";
import { toast } from "../ui/toast.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { fateWords, planWords } from "./backfill-words.js";
import { useBackfill } from "./use-backfill.js";

/** How many instants are listed. */
const listed = 20;

interface BackfillDialogProps {
  api: TickwheelApi;
  schedule: Schedule;
  onClose: () => void;
}

/** Asks for a range, tells what a backfill of it would do, and makes its runs. */
export function BackfillDialog({ api, schedule: { name }, onClose }: BackfillDialogProps) {
  const { from, to, includeUnknown, plan, problem, body } = useBackfill(api, name);
  const send = (): Promise<Answer<ScheduleBackfill>> | Answer<ScheduleBackfill> => {
    const range = body(false);
    return range
      ? api.schedules.backfill(name, range)
      : { ok: false, problem: localProblem("Not sent", "Type both ends.") };
  };
  const onSent = (): void => {
    toast("The backfill goes on; its runs are listed here.");
    onClose();
  };
  const count = plan === null || plan.more ? 0 : plan.count;
  const confirm = count === 0 ? "Make runs" : `Make ${formatNumberOf(count, "run")}`;
  const mayHaveRun = includeUnknown.value || plan?.instants.some(({ fate }) => fate === "unknown");
  return (
    <AskingDialog
      send={send}
      onSent={onSent}
      onClose={onClose}
      confirm={confirm}
      title={`Backfill ${name}`}
      isReady={count > 0}
    >
      <div class="grid-2">
        <TimeField label="From" value={from} />
        <TimeField label="To (not included)" value={to} />
      </div>
      {problem && <ProblemView problem={problem} />}
      {plan && <PlanView plan={plan} />}
      {mayHaveRun && (
        <label class="check">
          <input
            type="checkbox"
            checked={includeUnknown.value}
            onInput={(event) => (includeUnknown.value = event.currentTarget.checked)}
          />{" "}
          Also run those that may have run
        </label>
      )}
      <p class="small muted">Each is told the time that it stands for (occurrenceAt).</p>
    </AskingDialog>
  );
}

function TimeField({ label, value }: { label: string; value: Signal<string> }) {
  return (
    <FormField
      label={label}
      hint={ownZone()}
      control={(control) => (
        <input
          {...control}
          type="datetime-local"
          value={value.value}
          onInput={(event) => (value.value = event.currentTarget.value)}
        />
      )}
    />
  );
}

function PlanView({ plan }: { plan: ScheduleBackfill }) {
  const { instants } = plan;
  const rest = instants.length - listed;
  return (
    <>
      <p aria-live="polite">
        <b class="strong">{planWords(plan)}</b>
      </p>
      {instants.length > 0 && (
        <table aria-label="Instants of the range">
          <tbody>
            {instants.slice(0, listed).map((instant) => (
              <tr key={instant.at}>
                <th scope="row" class="nowrap">
                  <Instant at={instant.at} isAlone />
                </th>
                <td class="muted">{fateWords(instant)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rest > 0 && <p class="small muted">And {formatNumberOf(rest, "instant")} more.</p>}
    </>
  );
}
