import type { ActorName } from "../keys/key-names.js";
import type { Because, BecauseCode, LateStart, Task } from "../api/wire.js";
import { formatCount, formatDuration, formatNumberOf, formatRate } from "../time/format.js";
import { errorLineOf } from "./error-text.js";

/** The sentence that opens a task's page, and what a reader asks next. Pure: the caller says what time it is. */
export interface BecauseWords {
  /** The tone of the sentence: the hue and the sign of a state; `plain`: the task is as it should be. */
  readonly tone: string;
  readonly icon: string;
  readonly lead: string;
  readonly more: string | null;
}

interface Scene {
  task: Task;
  because: Because;
  /** Milliseconds of the epoch. */
  now: number;
  /** How an instant is written. */
  instantText: (instant: number) => string;
  /** What somebody is called who did something. */
  actorName: ActorName;
}

type Sentence = (scene: Scene) => BecauseWords;

/** Why the task stands as it does; null: the server did not say. */
export function becauseWords(scene: Omit<Scene, "because">): BecauseWords | null {
  const { because } = scene.task;
  if (!because) return null;
  return sentences[because.code]?.({ ...scene, because }) ?? null;
}

const plain = (icon: string, lead: string, more: string | null = null): BecauseWords => ({
  tone: "plain",
  icon,
  lead,
  more,
});
const overdueFor = ({ task, now }: Scene): string => formatDuration(now - Date.parse(task.dueAt ?? task.scheduledAt));
const nextAt = ({ task, instantText }: Scene): string => instantText(Date.parse(task.dueAt ?? task.scheduledAt));
const attempts = ({ task }: Scene): string => formatNumberOf(task.maxAttempts, "attempt");

const sentences: Record<BecauseCode, Sentence> = {
  SCHEDULED: (scene) =>
    scene.because.hasNoNode
      ? {
          tone: "expired",
          icon: "warning",
          lead: `It is due at ${nextAt(scene)}, and no live node runs ${scene.task.type} now. ${lastOf(scene)}`.trim(),
          more: "It starts in time if a node with this handler joins before then. It loses no attempt.",
        }
      : plain("scheduled", `It waits for its time: it is due at ${nextAt(scene)}.`, "Nothing stands in its way."),
  RETRIES: (scene) => ({
    tone: "failing",
    icon: "failing",
    lead: `Attempt ${formatCount(scene.task.attempt)} of ${formatCount(scene.task.maxAttempts)} failed: ${errorOf(scene)}. The next one is due at ${nextAt(scene)}.`,
    more: "It waits for its backoff. Run now brings the next attempt forward.",
  }),
  PUT_OFF: (scene) =>
    plain(
      "scheduled",
      `Its ${isWebhook(scene) ? "receiver" : "handler"} has put it off ${timesOf(scene.because.snoozes)}. It is due again at ${nextAt(scene)}.`,
      `${isWebhook(scene) ? "The answer asked for a rest by Retry-After. " : ""}The attempt does not count.`,
    ),
  BREAKER: (scene) => ({ tone: "expired", icon: "warning", ...breakerOf(scene) }),
  PAUSED: ({ task }) => ({
    tone: "paused",
    icon: "paused",
    lead: `It is paused: ${formatDuration(task.remainingMs)} of its countdown remain.`,
    more: "It starts again where it stands when somebody resumes it. Paused tasks never expire.",
  }),
  HALTED: (scene) => ({
    tone: "paused",
    icon: "paused",
    lead: haltOf(scene),
    more: "It starts at the end of the pause, the oldest first. Its start deadline goes on.",
  }),
  NO_NODE: (scene) => ({
    tone: "overdue",
    icon: "overdue",
    lead: `It has not run because no live node runs ${scene.task.type}. ${lastOf(scene)}It is overdue by ${overdueFor(scene)}.`,
    more: "It loses no attempt while it waits, and starts within 1.2 s after a node with this handler joins.",
  }),
  NO_CONSUMER: (scene) => ({
    tone: "scheduled",
    icon: "scheduled",
    lead: `It waits for a consumer to fetch it, overdue by ${overdueFor(scene)}.`,
    more: "Consumers fetch tasks of its type, and no node runs any. It loses no attempt while it waits.",
  }),
  LIMITED: (scene) => ({
    tone: "scheduled",
    icon: "scheduled",
    lead: `It waits for its turn, overdue by ${overdueFor(scene)}: ${limitOf(scene)}.`,
    more: "A limit of the whole cluster lets no more start just now. It starts as soon as there is room, the oldest first.",
  }),
  NO_PLACE: (scene) => ({
    tone: "overdue",
    icon: "overdue",
    lead: `It waits for a place to run, overdue by ${overdueFor(scene)}.${placesOf(scene)}`,
    more: "It starts as soon as a place is free on a node that runs its type: a type may have fewer places than its node.",
  }),
  DUE: () => plain("scheduled", "It is due, and starts at any moment."),
  RUNNING: (scene) =>
    plain(
      "running",
      `It runs on ${nodeOf(scene)}, attempt ${formatCount(scene.task.attempt)} of ${formatCount(scene.task.maxAttempts)}.`,
      crashesOf(scene),
    ),
  STOPPING: (scene) => ({
    tone: "expired",
    icon: "running",
    lead: `It was asked to stop, and its handler on ${nodeOf(scene)} still runs.`,
    more: "If the handler finishes all the same, the task counts as succeeded.",
  }),
  SUCCEEDED: (scene) => ended(scene, "succeeded", `It succeeded ${attemptsUsed(scene)}`),
  SKIPPED: (scene) => ended(scene, "skipped", "Its condition said no, so its handler was not called"),
  DEAD: (scene) => ({
    tone: "dead",
    icon: "dead",
    lead: `${deathOf(scene)}${lateClause(scene.because.late, scene)}`,
    more: "It does not run again unless somebody retries it. Dead tasks are kept for 30 days, if not set otherwise.",
  }),
  CANCELLED: ({ task }) =>
    plain("cancelled", `It was cancelled${cancelReasons[task.reason ?? ""] ?? ""}. It never runs.`),
  EXPIRED: ({ task, instantText }) => ({
    tone: "expired",
    icon: "expired",
    lead: `It had not started by its start deadline${task.startDeadlineAt ? `, ${instantText(Date.parse(task.startDeadlineAt))}` : ""}.`,
    more: "So it ended without a run.",
  }),
};

const cancelReasons: Partial<Record<string, string>> = {
  REPLACED: ", since another task replaced it under its key",
  SCHEDULE_CHANGED: ", since its schedule was changed",
  OVERLAP: ", since the next run of its schedule began",
};

/** A task that ended well: plain if it was in time. */
function ended(scene: Scene, icon: string, lead: string): BecauseWords {
  const { late } = scene.because;
  const isLate = late !== null;
  return {
    tone: isLate ? "overdue" : "plain",
    icon,
    lead: `${lead}${lateClause(late, scene)}`,
    more: crashesOf(scene),
  };
}

const partWords: Record<LateStart["part"], string> = {
  known: "no node knew of it before",
  wheel: "its node's timer fired late, so its event loop was busy",
  place: "no place to run was free",
  claim: "Postgres answered the claim late",
  start: "its node was slow to start it",
};

/** Ends a sentence, with its lateness where there was one worth telling. */
export function lateClause(late: LateStart | null, { task }: Pick<Scene, "task">): string {
  if (late === null) return ".";
  const start = `. Its last run started ${formatDuration(late.latenessMs)} late because`;
  const { takenFrom } = late;
  if (takenFrom === null) return `${start} ${partWords[late.part]} (${formatDuration(late.partMs)}).`;
  const how = takenFrom.silentSince === null ? "left or was slow" : "fell silent";
  return `${start} ${takenFrom.node} had it and ${how}; ${task.node ?? "another node"} took it over.`;
}

function attemptsUsed({ task }: Scene): string {
  if (task.attempt <= 1) return "at its first attempt";
  const error = errorLineOf(task.lastError);
  return `at attempt ${formatCount(task.attempt)} of ${formatCount(task.maxAttempts)}${error === null ? "" : `; the one before failed: ${withoutStop(error)}`}`;
}

function deathOf(scene: Scene): string {
  const { task } = scene;
  switch (task.reason) {
    case "CRASHES":
      return `It is dead: it was running when its node died, ${timesOf(task.crashCount)}`;
    case "ATTEMPTS":
      return `It is dead: all ${attempts(scene)} failed, the last with ${errorOf(scene)}`;
    case "PAYLOAD_INVALID":
    case "RESULT_INVALID":
      return `It is dead: its ${task.reason === "PAYLOAD_INVALID" ? "payload" : "result"} is not valid: ${errorOf(scene)}`;
    default:
      return `It is dead: it failed with an error that is not retried: ${errorOf(scene)}`;
  }
}

const halted = { TYPE: "its type", NAMESPACE: "its namespace", KEY: "its key" };

function haltOf({ because: { halt }, instantText, actorName }: Scene): string {
  if (halt === null) return "It is due, and paused with others.";
  const at = (instant: string): string => instantText(Date.parse(instant));
  const why = halt.reason === null ? "" : `: “${halt.reason}”`;
  const end = halt.until === null ? "until somebody resumes it" : `until ${at(halt.until)}`;
  return `It is due, and ${halted[halt.of]} is paused by ${actorName(halt.by)}${why}, since ${at(halt.since)}, ${end}.`;
}

const isWebhook = ({ task }: Scene): boolean => task.deliver !== null;

/** The breaker of its type, which people can close; else what keeps its webhook's host from being called. */
function breakerOf(scene: Scene): Pick<BecauseWords, "lead" | "more"> {
  const { task, because, instantText } = scene;
  const at = (instant: string): string => instantText(Date.parse(instant));
  if (because.breaker === null)
    return {
      lead: `It was put off untried, because its ${isOfBroker(task) ? "broker takes nothing or" : "host fails, rests or"} has no free place. It is tried again at ${nextAt(scene)}.`,
      more: `${isOfBroker(task) ? "The log of its node says why (broker.away)." : "A host rests for as long as it asks by Retry-After."} The attempt does not count.`,
    };
  const { state, since, until, failedTrials } = because.breaker;
  const failed = failedTrials === 0 ? "" : ` ${formatNumberOf(failedTrials, "trial")} failed since.`;
  const next =
    state === "OPEN"
      ? `The next trial is at ${at(until)}.`
      : `One task is tried now, until ${at(until)} at the latest.`;
  return {
    lead: `It waits because attempts of ${task.type} fail: the breaker is open since ${at(since)}.${failed} ${next}`,
    more: "A trial is one task: it closes the breaker, or opens it for longer. This task loses no attempt.",
  };
}

function isOfBroker({ deliver }: Scene["task"]): boolean {
  return deliver !== null && deliver.kind !== "webhook";
}

/** `5 of export run, which is the limit`, or `100 in 1 s may start of export`. */
function limitOf({ task, because: { limit } }: Scene): string {
  if (limit === null) return "a limit of the cluster is full";
  const what = limit.of === "TYPE" ? task.type : "its namespace";
  const { maxRunning, running, rate } = limit;
  if (maxRunning !== null && (rate === null || (running ?? maxRunning) >= maxRunning)) {
    // Between two tasks a place is free for a moment, and the limit counts as full all the same.
    const runs = Math.max(running ?? maxRunning, maxRunning);
    const most =
      runs > maxRunning ? `which is more than the limit of ${formatCount(maxRunning)}` : "which is the limit";
    return `${formatCount(runs)} of ${what} ${runs === 1 ? "runs" : "run"}, ${most}`;
  }
  return rate === null ? `a limit of ${what} is full` : `${formatRate(rate)} may start of ${what}`;
}

/** A sentence about the last node that ran its type, and a space; empty: it is not known. */
function lastOf({ because: { lastRunner }, instantText }: Scene): string {
  if (lastRunner === null) return "";
  const how = lastRunner.how === "DEAD" ? "died" : "shut down";
  return `The last that did, ${lastRunner.node ?? "a node that is not known any more"}, ${how} at ${instantText(Date.parse(lastRunner.at))}. `;
}

function errorOf({ task }: Scene): string {
  return withoutStop(errorLineOf(task.lastError) ?? "an error that is not known");
}

const withoutStop = (text: string): string => text.replace(/[.\s]+$/, "");
const nodeOf = ({ task }: Scene): string => task.node ?? "a node that is not known any more";
const timesOf = (count: number): string => (count === 1 ? "once" : `${formatCount(count)} times`);

function crashesOf({ task }: Scene): string | null {
  if (task.crashCount === 0) return null;
  return `Its node died while it ran, ${timesOf(task.crashCount)}; what that run had begun may have happened.`;
}

function placesOf({ because: { places } }: Scene): string {
  if (places === null || places.all === 0) return "";
  return ` Of ${formatNumberOf(places.all, "place")} on the nodes that run its type, ${formatCount(places.inUse)} are in use.`;
}
