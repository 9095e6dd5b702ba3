import type { ComponentChildren } from "preact";
import { prettyJson } from "../api/json.js";
import type { Task } from "../api/wire.js";
import { formatCount, formatDuration } from "../format.js";
import { fragmentOf } from "../route.js";
import { Instant } from "../ui/instant.js";
import { errorTextOf } from "./error-text.js";
import { isTerminal } from "./task-actions.js";
import { TaskTags } from "./task-tags.js";

/** All fields of a task: what went wrong, when, the rest, and its data. */
export function TaskFields({ task, now }: { task: Task; now: number }) {
  const hasError = task.lastError !== null && task.lastError !== undefined;
  const hasResult = task.result !== null && task.result !== undefined;
  return (
    <>
      {hasError && <TextPanel title="Last error" text={errorTextOf(task.lastError)} />}
      <div class="columns">
        <TimesPanel task={task} now={now} />
        <FactsPanel task={task} />
      </div>
      <TextPanel title="Payload" text={prettyJson(task.payload)} />
      {hasResult && <TextPanel title="Result" text={prettyJson(task.result)} />}
    </>
  );
}

function TimesPanel({ task, now }: { task: Task; now: number }) {
  const times = [
    { name: "Created", at: task.createdAt },
    { name: "Scheduled for", at: task.scheduledAt },
    { name: "Due (next try)", at: task.dueAt, isPast: isTerminal(task.state) },
    ...(task.startDeadlineAt === null
      ? []
      : [{ name: "Start deadline", at: task.startDeadlineAt, isPast: isTerminal(task.state) }]),
    { name: "Started", at: task.startedAt },
    { name: "Finished", at: task.finishedAt },
  ];
  return (
    <section class="panel" aria-labelledby="times">
      <h2 id="times">
        Times <span class="hint">{Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
      </h2>
      <dl class="fields">
        {times.map(({ name, at, isPast }) => (
          <Field key={name} name={name}>
            <Instant at={at} as="full" now={isPast ? null : now} />
          </Field>
        ))}
        <Field name="Lateness">{formatDuration(task.latenessMs)}</Field>
      </dl>
    </section>
  );
}

function FactsPanel({ task }: { task: Task }) {
  const fields: readonly (readonly [string, ComponentChildren])[] = [
    ["Key", task.key ?? "–"],
    ["Tags", <TaskTags tags={task.tags} />],
    ["Namespace", task.namespace],
    ["Attempt", `${task.attempt} of ${task.maxAttempts}`],
    ["Crashes", formatCount(task.crashCount)],
    ["Node", task.node ?? "–"],
    ["Priority", task.priority],
    ["Version", String(task.version)],
    ["Fence", String(task.fence)],
    ["Delivery", deliveryOf(task.deliver)],
    ...(task.continues === null ? [] : [["Continues", <TaskLink id={task.continues} />] as const]),
    ...(task.continuedBy === null ? [] : [["Continued by", <TaskLink id={task.continuedBy} />] as const]),
  ];
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Execution</h2>
      <dl class="fields">
        {fields.map(([name, value]) => (
          <Field key={name} name={name}>
            {value}
          </Field>
        ))}
      </dl>
    </section>
  );
}

/** Leads to the task that had the key before this one, or took it afterwards. */
function TaskLink({ id }: { id: string }) {
  return (
    <>
      task{" "}
      <a class="mono" href={fragmentOf({ page: "task", id })}>
        {id}
      </a>
    </>
  );
}

function Field({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function TextPanel({ title, text }: { title: string; text: string }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  );
}

function deliveryOf(deliver: unknown): ComponentChildren {
  if (deliver === null || deliver === undefined) return "in-process handler";
  return <code class="long">{JSON.stringify(deliver)}</code>;
}
