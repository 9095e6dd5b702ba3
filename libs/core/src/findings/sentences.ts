import type { Cause, FindingCode, FindingSentences } from "../reports/finding.js";
import { Facts } from "./facts.js";
import { commitsUnsafe, redisEvicts, snapshotHeld, standbysAsynchronous } from "./server-sentences.js";
import { counted, durationInWords, listInWords, numberInWords } from "./words.js";

/**
 * A finding in words, made of its facts. Pure, so every node tells the same, and a page may ask for another language
 * one day. A cure names only what exists.
 */
export function sentencesOf({ code, facts }: Pick<Cause, "code" | "facts">): FindingSentences {
  return SENTENCES[code](new Facts(facts));
}

type Tell = (facts: Facts) => FindingSentences;

const SENTENCES: Readonly<Record<FindingCode, Tell>> = {
  POSTGRES_AWAY: (facts) => ({
    title: facts.is("isAlone")
      ? `Postgres is away from ${facts.text("node")}`
      : `Postgres is away from ${allNodes(facts.number("nodes"))}`,
    consequence: facts.is("isAlone")
      ? "This node starts nothing, the others take over. Creates that reach it answer 503 and may be sent again."
      : "Nothing starts and nothing is lost. Creates answer 503 and may be sent again. What ran was told to stop and runs again.",
    cure: facts.is("isAlone")
      ? "Look at its network to Postgres. It follows by itself within 2 s."
      : "Look at the server or its failover. Nodes follow by themselves within 2 s.",
  }),
  COMMITS_UNSAFE: commitsUnsafe,
  STANDBYS_ASYNCHRONOUS: standbysAsynchronous,
  SNAPSHOT_HELD: snapshotHeld,
  REDIS_AWAY: (facts) => ({
    title: `Redis is away from ${allNodes(facts.list("nodes").length)}`,
    consequence: `Nodes coordinate through Postgres: hints come later, up to ${facts.duration("sweepMs")} late. Nothing is lost.`,
    cure: "Look at Redis. It is taken up again by itself.",
  }),
  TYPE_WITHOUT_NODE: (facts) => ({
    title: `No live node runs ${facts.text("type")}`,
    consequence: `${facts.overdue()} overdue, the oldest by ${facts.duration("oldestMs")}. They lose no attempt.${schedulesToo(facts)}`,
    cure: `Start a node with this handler.${lastNode(facts)}`,
  }),
  QUEUE_WITHOUT_CONSUMER: (facts) => ({
    title: `Nobody fetches tasks of ${facts.text("type")}`,
    consequence: `${facts.overdue()} overdue, the oldest by ${facts.duration("oldestMs")}. They lose no attempt.`,
    cure: "Start a consumer of this type, or look at why those that there are fetch none.",
  }),
  SCHEDULE_WITHOUT_NODE: (facts) => ({
    title: `No live node runs ${facts.text("type")}, the type of ${facts.schedules()}`,
    consequence: `Nothing of ${facts.text("type")} is overdue yet, but no further occurrence can start.${schedulesByName(facts)}`,
    cure: `Start a node with this handler, or pause or delete ${facts.areMany() ? "the schedules" : "the schedule"}.${lastNode(facts)}`,
  }),
  SCHEDULE_PAUSED: (facts) => ({
    title: facts.areMany()
      ? `${facts.schedules()} of ${facts.text("type")} paused themselves because their runs fail`
      : `${capitalized(facts.schedules())} paused itself after ${counted(facts.number("failures"), "failure")} in a row`,
    consequence: facts.areMany()
      ? `The first has been paused since ${facts.text("pausedAt")}, after up to ${counted(facts.number("failures"), "failure")} in a row. Nothing of them runs until they are resumed.${schedulesByName(facts)}`
      : `It has been paused since ${facts.text("pausedAt")}. Nothing of it runs until it is resumed.`,
    cure: `Look at the errors of the last runs and mend the handler of ${facts.text("type")}. Then resume ${facts.areMany() ? "the schedules" : "the schedule"}.`,
  }),
  BATCH_OVERDUE: (facts) => ({
    title: facts.areManyBatches()
      ? `${facts.batches()} passed their deadlines with members left`
      : `${facts.batches()} passed its deadline with ${numberInWords(facts.number("left"))} left`,
    consequence: facts.areManyBatches()
      ? `The last of these deadlines was ${facts.text("deadlineAt")}. Members of each have not succeeded yet.${batchesByName(facts)}`
      : `${missingMembers(facts)} ${endOfBatch(facts)}`,
    cure: `See ${facts.areManyBatches() ? "their" : "its"} leftovers. Retry those that are dead, or settle them by hand.`,
  }),
  BATCH_UNSEALED: (facts) => ({
    title: facts.areManyBatches()
      ? `${facts.batches()} have been open for members for up to ${facts.duration("openForMs")}: they were never sealed`
      : `${facts.batches()} has been open for members for ${facts.duration("openForMs")}: it was never sealed`,
    consequence: facts.areManyBatches()
      ? `They cannot complete, even when all their members have ended. What they make at their end is not made.${batchesByName(facts)}`
      : "It cannot complete, even when all its members have ended. What it makes at its end is not made.",
    cure: facts.areManyBatches()
      ? "Seal those whose members are all there, and cancel the others."
      : "Seal it if its members are all there, or cancel it.",
  }),
  OPERATION_STOPPED: (facts) => ({
    title: `An operation (${facts.text("action")}) stopped: too many of its tasks failed again`,
    consequence: `It stopped at ${facts.text("stoppedAt")}: ${tasksOf(facts)}`,
    cure: "Look at the error of those that failed. Then start it again, or undo it.",
  }),
  OPERATION_HELD: (facts) => ({
    title: `An operation (${facts.text("action")}) has been on hold for ${facts.duration("heldForMs")}`,
    consequence: `Nothing more of it happens until it is resumed: ${tasksOf(facts)}`,
    cure: "Resume it, or stop it.",
  }),
  TYPE_FAILING: (facts) => ({
    title: `${facts.text("type")}: ${percent(facts.number("share"))} of attempts fail`,
    consequence: `${facts.has("error") ? `${asSentence(facts.text("error"))} ` : ""}In the last 5 minutes ${counted(facts.number("failed"), "attempt")} failed, and ${numberInWords(facts.number("dead"))} of them ended their task dead. The others are tried again.`,
    cure: "Look at what it calls. When that answers again, retry the dead.",
  }),
  DEAD_TASKS: (facts) => (facts.has("type") ? deadOfCause(facts) : otherDead(facts)),
  PLACES_TAKEN: (facts) => ({
    title: takenPlaces(facts),
    consequence: `Due tasks wait ${facts.duration("waitMs")} for a place. ${facts.text("type")} holds ${numberInWords(facts.number("typeRunning"))} of them.`,
    cure: `Add a node, raise the places (concurrency), or give ${facts.text("type")} a limit.`,
  }),
  OVERDUE_UNEXPLAINED: (facts) => ({
    title: `${facts.overdue()} overdue, and nobody takes them`,
    consequence: `The oldest by ${facts.duration("oldestMs")}; no cause is known. Types: ${listInWords(facts.list("types"))}.`,
    cure: "See them in the list of tasks, look at the nodes' logs, and tell us with both.",
  }),
  LOOP_BLOCKED: (facts) => ({
    title: `The event loop of ${facts.node} is blocked, ${facts.duration("blockedMs")} so far`,
    consequence: `${counted(facts.number("inFlight"), "execution")} there ${facts.number("inFlight") === 1 ? "waits" : "wait"} for it. Other nodes take over what has not started.`,
    cure: `${runningWords(facts.list("running"))} Move the work to a thread, or split it.`,
  }),
  NODE_SUSPECT: (facts) => ({
    title: `${facts.node} is suspect: no beat for ${facts.duration("silentMs")}`,
    consequence: `It may be dead. What runs on it waits up to ${facts.duration("leftMs")} more; what has not started is taken over already.`,
    cure: "Nothing yet. It is declared dead unless it beats.",
  }),
  NODE_DIED: (facts) => ({
    title: `Node ${facts.node} died, and its tasks were taken over`,
    consequence: `It had been silent for ${facts.duration("silentMs")}.${takenOver(facts)}`,
    cure: `Nothing to do here.${facts.list("running").length > 0 ? ` Its last word: its loop was blocked, running ${listInWords(facts.list("running"))}.` : " Look at its log or its machine for the reason."}`,
  }),
  NO_LEADER: () => ({
    title: "No node leads",
    consequence: "Dead nodes are not noticed and views do not change. What is owned goes on.",
    cure: "Look at Postgres; an election needs it.",
  }),
  CLOCK_OFF: (facts) => ({
    title: `The clock of ${facts.node} is ${durationInWords(Math.abs(facts.number("offMs")))} ${facts.number("offMs") > 0 ? "ahead of" : "behind"} the database's`,
    consequence: "Its logs are wrong by that. Due times are not: they follow the database's clock.",
    cure: "Look at its time service.",
  }),
  FUTURE_OVER_CAPACITY: (facts) => ({
    title: `${bucketWords(facts)} brings ${counted(facts.number("due"), "task")}, ${numberInWords(facts.number("capacity"))} is the capacity`,
    consequence: `The last starts about ${facts.duration("lateMs")} late. Nothing is lost.`,
    cure: `Most are ${facts.text("type")}: spread its due times, or add nodes or places.`,
  }),
  VERSIONS_DIFFER: (facts) => ({
    title: `Two versions run: ${listInWords(facts.list("versions"))}`,
    consequence: `What only ${facts.text("newest")} knows waits for the nodes that have it.`,
    cure: `Finish the roll-out: ${listInWords(facts.list("remaining"))} ${facts.list("remaining").length === 1 ? "remains" : "remain"}.`,
  }),
  POLICIES_DIFFER: (facts) => ({
    title: `The nodes want ${facts.text("type")} to be run differently`,
    consequence:
      "Their handlers have different attempts, backoff, time-out, priority or start deadline. New tasks get those of the node that joined last and has been there for 30 s.",
    cure: `Finish the roll-out, or make the handlers' options equal: ${listInWords(facts.list("others"))} ${facts.list("others").length === 1 ? "differs" : "differ"}.`,
  }),
  TYPE_PAUSED: (facts) => {
    const reason = facts.has("reason") ? `: ${facts.text("reason")}` : "";
    const what = facts.has("type") ? facts.text("type") : `All of the namespace ${facts.text("namespace")}`;
    const waiting = `${facts.overdue()} overdue, the oldest for ${facts.duration("oldestMs")}.`;
    return {
      title: `${what} is paused by ${facts.text("by")}${reason}`,
      consequence: `Since ${facts.text("since")} none of its tasks starts${facts.number("overdue") > 0 ? `: ${waiting}` : "."}`,
      cure: facts.has("until")
        ? `Nothing to do: it resumes by itself at ${facts.text("until")}, or when somebody resumes it before.`
        : "Resume it when its reason is over.",
    };
  },
  LIMIT_FULL: (facts) => {
    const what = facts.has("type") ? facts.text("type") : `the namespace ${facts.text("namespace")}`;
    return {
      title: `The limit of ${what} has been full for ${facts.duration("fullForMs")}`,
      consequence: `No more may start than ${limitWords(facts)}: ${facts.overdue()} overdue.`,
      cure: "Nothing to do if this is meant: the tasks start one after the other. Else raise the limit, or make the handler faster.",
    };
  },
  BREAKER_OPEN: (facts) => {
    const trials = facts.number("failedTrials");
    return {
      title: `The breaker of ${facts.text("type")} is open since ${facts.text("since")}`,
      consequence: `Its attempts fail, so no node starts any: ${facts.overdue()} overdue. ${trials === 0 ? "" : `${counted(trials, "trial")} failed since. `}The next trial is at ${facts.text("until")}: one task.`,
      cure: "Look at the last errors of its tasks. When what they call works again, the next trial closes the breaker; or close it by hand.",
    };
  },
  HOST_SLOWED: (facts) => {
    const others = facts.number("hosts") - 1;
    return {
      title: `${facts.text("host")} has asked to be left alone until ${facts.text("until")}`,
      consequence: `No node delivers to it before that${others === 0 ? "" : `; ${counted(others, "host")} more of ${facts.text("namespace")} ${others === 1 ? "rests" : "rest"}, too`}. Its tasks lose no attempt.`,
      cure: "Nothing to do if that is rare. Else deliver to it less often: a `rate` of the type.",
    };
  },
  SETTINGS_NOT_OBEYED: (facts) => ({
    title: `${facts.node} does not obey the settings`,
    consequence: `For ${facts.duration("forMs")} it has worked by older ones: what was paused since may start there, and what was resumed may not.`,
    cure: "Look at its event loop and at its way to Postgres; end it if it stays so.",
  }),
  REDIS_EVICTS: redisEvicts,
  NODE_WITHOUT_REDIS: (facts) => ({
    title: `${facts.node} sees no Redis, others do`,
    consequence: `Its hints come late: up to ${facts.duration("sweepMs")} for its ${counted(facts.number("slots"), "slot")}.`,
    cure: "Look at its network; restart it elsewhere if it stays.",
  }),
  SCHEDULE_UNANNOUNCED: (facts) => ({
    title: facts.areMany()
      ? `${facts.schedules()} of ${facts.text("type")} are in no node's code any more`
      : `${capitalized(facts.schedules())} is in no node's code any more`,
    consequence: facts.areMany()
      ? `The first has been paused since ${facts.text("pausedAt")}. They resume by themselves when a node announces them again.${schedulesByName(facts)}`
      : `It has been paused since ${facts.text("pausedAt")}. It resumes by itself when a node announces it again.`,
    cure: facts.areMany()
      ? "If the code was removed on purpose, delete the schedules. Else start a node whose code defines them."
      : "If the code was removed on purpose, delete the schedule. Else start a node whose code defines it.",
  }),
};

function deadOfCause(facts: Facts): FindingSentences {
  const error = facts.text("error") === "" ? "" : `: ${facts.text("error")}`;
  const since = facts.has("seenAt") ? ` since ${facts.text("seenAt")}` : "";
  return {
    title: `${counted(facts.number("dead"), "dead task")} of ${facts.text("type")}${error}`,
    consequence: `The last died at ${facts.text("lastDiedAt")}. Nobody has looked at this cause${since}. Dead tasks are tried no more, and are deleted after a time.`,
    cure: "Mend the cause, then retry its tasks, or discard them. Say on its page that you have looked: a further death of this cause opens it again.",
  };
}

function otherDead(facts: Facts): FindingSentences {
  return {
    title: `${facts.is("isAtLeast") ? "At least " : ""}${counted(facts.number("others"), "more cause")} of dead tasks`,
    consequence: "Nobody has looked there, either. The causes whose first task died last are told one by one.",
    cure: "See the list of dead letters.",
  };
}

/** `5 at once and 100 in 1 s`. */
function limitWords(facts: Facts): string {
  const atOnce = facts.has("maxRunning") ? [`${numberInWords(facts.number("maxRunning"))} at once`] : [];
  const rate = facts.has("rateCount")
    ? [`${numberInWords(facts.number("rateCount"))} in ${facts.duration("ratePerMs")}`]
    : [];
  return [...atOnce, ...rate].join(" and ");
}

function allNodes(count: number): string {
  return count === 1 ? "the only node" : `all ${numberInWords(count)} nodes`;
}

/** At least 1, so that a finding never says that 0 % fail. */
function percent(share: number): string {
  return `${Math.max(1, Math.round(share * 100))} %`;
}

/** The few that are left are kept for other types and namespaces. */
function takenPlaces(facts: Facts): string {
  const places = facts.number("places");
  const taken = facts.number("taken");
  const isRestKept = facts.has("taken") && taken < places;
  return isRestKept
    ? `${numberInWords(taken)} of ${numberInWords(places)} places are taken, the rest is kept for others`
    : `All ${numberInWords(places)} places are taken`;
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function lastNode(facts: Facts): string {
  if (!facts.has("lastNode")) return "";
  const how = facts.is("lastNodeDied") ? "died" : "left";
  return ` The last was ${facts.text("lastNode")}, which ${how} at ${facts.text("lastNodeEndedAt")}.`;
}

/** The schedules of a type whose tasks are overdue. */
function schedulesToo(facts: Facts): string {
  const [only] = facts.list("schedules");
  if (only === undefined) return "";
  return facts.areMany() ? ` Its schedules wait, too.${schedulesByName(facts)}` : ` Its schedule ${only} waits, too.`;
}

/** Nothing where the title names it. */
function schedulesByName(facts: Facts): string {
  if (!facts.areMany()) return "";
  return byName(facts.list("schedules"), facts.number("scheduleCount"), facts.is("areMoreSchedules"));
}

function batchesByName(facts: Facts): string {
  return byName(facts.list("batches"), facts.number("batchCount"), facts.is("areMoreBatches"));
}

/** `120 of about 302 tasks were changed.` */
function tasksOf(facts: Facts): string {
  const changed = facts.number("changed");
  const of = facts.has("estimate") ? ` of about ${facts.number("estimate")}` : "";
  return `${changed}${of} tasks were changed.`;
}

/** `1 of its 10 members has not succeeded yet.` */
function missingMembers(facts: Facts): string {
  const missing = facts.number("missing");
  const members = `${numberInWords(missing)} of its ${counted(facts.number("total"), "member")}`;
  return `${members} ${missing === 1 ? "has" : "have"} not succeeded yet.`;
}

function endOfBatch(facts: Facts): string {
  const type = facts.has("onComplete") ? facts.text("onComplete") : null;
  if (facts.is("isComplete")) return type === null ? "It is complete." : `It is complete, and ${type} was made.`;
  return type === null ? "It is not complete." : `It is not complete, so ${type} was not made yet.`;
}

function byName(names: readonly string[], count: number, areMore: boolean): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, MOST_NAMES);
  const others = count - shown.length;
  if (areMore) return ` Among them: ${shown.join(", ")}.`;
  return ` They are ${others === 0 ? listInWords(shown) : `${shown.join(", ")} and ${numberInWords(others)} more`}.`;
}

/** A sentence names so many schedules or batches at most. */
const MOST_NAMES = 3;

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function takenOver(facts: Facts): string {
  if (!facts.has("slots")) return "";
  const running = facts.number("inFlight");
  const again =
    running === 0
      ? "nothing ran on it"
      : `${counted(running, "execution")} of it ${running === 1 ? "starts" : "start"} again`;
  return ` ${counted(facts.number("slots"), "slot")} moved to the other nodes; ${again}.`;
}

function runningWords(running: readonly string[]): string {
  return running.length === 0
    ? "No handler runs there: look for other work in its process."
    : `It runs ${listInWords(running)}.`;
}

function bucketWords(facts: Facts): string {
  const minute = 60_000;
  const size =
    facts.number("bucketMs") <= minute
      ? "The minute"
      : facts.number("bucketMs") <= 60 * minute
        ? "The hour"
        : "The day";
  return `${size} of ${facts.text("at")}`;
}
