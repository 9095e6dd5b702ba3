import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { TaskOperation } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { nodeName } from "../nodes/known-nodes.js";
import { fragmentOf } from "../place/route.js";
import { whyReadOnly } from "../session/session.js";
import { formatCount } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { nowFor } from "../time/ticking.js";
import { Icon } from "../ui/icon.js";
import { Panel } from "../ui/panel.js";
import { Progress } from "../ui/progress.js";
import { StateMark } from "../ui/state-mark.js";
import { toast } from "../ui/toast.js";
import { endText, markOf, nameOf, passedWords, progressParts, totalOf } from "./operation-words.js";
import { UndoDialog } from "./undo-dialog.js";

interface OpenOperationProps {
  api: TickwheelApi;
  operation: TaskOperation;
  onChanged: () => void;
}

/** An operation that goes on, or its undo: how far it has come, at which pace, and what can be asked of it. */
export function OpenOperation({ api, operation, onChanged }: OpenOperationProps) {
  const mark = markOf(operation);
  return (
    <Panel
      title={nameOf(operation)}
      note={<StateMark state={mark.state} text={mark.text} fill />}
      more={<OperationButtons api={api} operation={operation} onChanged={onChanged} />}
    >
      <div class="body">
        <OperationProgress operation={operation} />
        <dl class="facts">
          <div>
            <dt>Filter</dt>
            <dd class="mono small">{operation.filter === "" ? "all tasks" : operation.filter}</dd>
          </div>
          <div>
            <dt>By</dt>
            <dd>
              {actorName(operation.createdBy)}, <Instant at={operation.createdAt} />
              {operation.reason !== null && `: “${operation.reason}”`}
            </dd>
          </div>
          <div>
            <dt>Carried out by</dt>
            <dd>
              {operation.node === null
                ? "the next node with the engine"
                : `${nodeName(operation.node)}, page ${formatCount(operation.pages)}. If it dies another node goes on there.`}
            </dd>
          </div>
          <div>
            <dt>Tasks</dt>
            <dd>
              <a href={fragmentOf({ page: "operation", id: operation.id })}>Those that it has changed</a>
            </dd>
          </div>
        </dl>
      </div>
    </Panel>
  );
}

/** How many are changed, left and to come, as numbers and as a bar. */
export function OperationProgress({ operation }: { operation: TaskOperation }) {
  const { state, changed, estimate, passed, undone, leftBehind, pace } = operation;
  const isUndo = state === "undoing" || state === "undone";
  const [done, all] = isUndo ? [undone, changed] : [changed, estimate];
  const left = isUndo ? totalOf(leftBehind) : totalOf(passed);
  const parts = [
    [isUndo ? "put back" : "changed", "succeeded", done] as const,
    ...(isUndo
      ? [["left", "cancelled", left] as const]
      : passed.map(({ code, count }) => [passedWords[code], "cancelled", count] as const)),
  ];
  const end = [pace === null ? "" : `${formatCount(Math.round(pace))} a second`, endText(operation, nowFor(0))];
  return (
    <>
      <div class="summary">
        <span class="big-n">
          {formatCount(done)}
          {all !== null && <span class="u">of {formatCount(all)}</span>}
        </span>
        <span class="legend">
          {parts.map(([name, of, count]) => (
            <span key={name}>
              <i class={`key sq is-end is-${of}`} />
              {name} <b>{formatCount(count)}</b>
            </span>
          ))}
        </span>
        <span class="small muted">{end.filter(Boolean).join("; ")}</span>
      </div>
      <div class="bar thick">
        <Progress
          label={`${formatCount(done)} of ${all === null ? "unknown" : formatCount(all)}`}
          parts={progressParts(operation)}
        />
      </div>
    </>
  );
}

/** Hold, resume, stop and undo, as far as its state allows them. */
export function OperationButtons({ api, operation, onChanged }: OpenOperationProps) {
  const asksUndo = useSignal(false);
  const { id, state, heldAt } = operation;
  const isOpen = state === "running" || state === "undoing";
  const send = async (answer: Promise<Answer<unknown>>, done: string): Promise<void> => {
    const got = await answer;
    toast(got.ok ? done : sentenceOf(got.problem));
    onChanged();
  };
  const button = (text: string, icon: string | null, run: () => void) => (
    <button
      type="button"
      class="tiny"
      disabled={whyReadOnly.value !== null}
      title={whyReadOnly.value ?? undefined}
      onClick={run}
    >
      {icon && <Icon name={icon} />}
      {text}
    </button>
  );
  const mayUndo = state === "running" || operation.undoUntil !== null;
  return (
    <span class="actions">
      {isOpen &&
        heldAt === null &&
        button(
          "Hold",
          "pause",
          () => void send(api.operations.hold(id), "On hold: nothing changes until it is resumed."),
        )}
      {isOpen && heldAt !== null && button("Resume", "play", () => void send(api.operations.resume(id), "It goes on."))}
      {state === "running" &&
        button("Stop here", null, () => void send(api.operations.stop(id), "Stopped. What it has changed stays."))}
      {mayUndo && button("Undo…", "undo", () => (asksUndo.value = true))}
      {asksUndo.value && (
        <UndoDialog api={api} operation={operation} onChanged={onChanged} onClose={() => (asksUndo.value = false)} />
      )}
    </span>
  );
}
