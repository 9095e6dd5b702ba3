import type { Pause, TypeBreaker, TypeChange, TypeFigures } from "../api/wire.js";
import type { ActorName } from "../keys/key-names.js";
import { formatCount, formatDuration, formatNumberOf, formatRate } from "../time/format.js";
import { waitText } from "./wait-words.js";

/** How a type stands, worst first. */
export type Need = "no node" | "failing" | "breaker open" | "paused" | "waiting" | "well";

/** As the server sorts them. */
const failingShare = 0.2;

export function needOf({
  waitsFor,
  failedShare,
  breaker,
  pause,
}: Pick<TypeFigures, "waitsFor" | "failedShare" | "breaker" | "pause">): Need {
  if (waitsFor === "HANDLER") return "no node";
  if ((failedShare ?? 0) >= failingShare) return "failing";
  if (breaker !== null) return "breaker open";
  if (pause !== null) return "paused";
  return waitsFor === null ? "well" : "waiting";
}

/** The state whose sign and hue a need has. */
export const needStates: Readonly<Record<Need, string>> = {
  "no node": "overdue",
  failing: "failing",
  "breaker open": "failing",
  paused: "paused",
  waiting: "scheduled",
  well: "good",
};

/** Whether somebody should look at a type. */
export function needsSomebody(type: Parameters<typeof needOf>[0]): boolean {
  return ["no node", "failing", "breaker open"].includes(needOf(type));
}

/** Why its overdue tasks wait; empty: they do not. */
export function waitsText({ waitsFor, limits }: Pick<TypeFigures, "waitsFor" | "limits">): string {
  if (waitsFor === null) return "";
  if (waitsFor === "BREAKER") return "its breaker is open";
  return (waitsFor === "LIMIT" && ownLimitText(limits)) || waitText(waitsFor);
}

/** `its limit of 20 is full`; null: which limit is full is not plain just now. */
function ownLimitText(limits: TypeFigures["limits"]): string | null {
  const { maxRunning = null, running = null, rate = null, tokens = null } = limits ?? {};
  if (maxRunning !== null && (running ?? 0) >= maxRunning) return fullText(formatCount(maxRunning));
  return rate !== null && tokens === 0 ? fullText(formatRate(rate)) : null;
}

const fullText = (limit: string): string => `its limit of ${limit} is full`;

/** What a breaker that is not closed does, such as `10.0.0.1:7 tries one task; 2 trials failed since`. */
export function breakerWords({ state, failedTrials, node }: Omit<TypeBreaker, "since" | "until">): BreakerWords {
  const failed = failedTrials === 0 ? "" : `; ${formatNumberOf(failedTrials, "trial")} failed since`;
  const isOpen = state === "OPEN";
  return {
    mark: isOpen ? "breaker open" : "trying one task",
    does: isOpen ? `its attempts fail, so no node starts any${failed}` : `${node ?? "a node"} tries one task${failed}`,
    next: isOpen ? "The next trial, of one task, is due at" : "The trial ends, at the latest, at",
  };
}

interface BreakerWords {
  readonly mark: string;
  readonly does: string;
  /** What happens at `until`, which follows. */
  readonly next: string;
}

export function shareText(share: number | null): string {
  if (share === null) return "–";
  return `${Math.round(share * 1000) / 10} %`;
}

/** `120 succeeded, 12 of them skipped` */
export function endedText({ succeeded, skipped }: Pick<TypeFigures, "succeeded" | "skipped">): string {
  return `${formatCount(succeeded)} succeeded${skipped > 0 ? `, ${formatCount(skipped)} of them skipped` : ""}`;
}

/** How much of a limit of the cluster is used, of a type or a namespace. */
export interface LimitUse {
  /** `5 of 5 run`; null: how many run is not limited. */
  readonly running: { readonly text: string; readonly share: number } | null;
  /** `100 in 1 s, 20 at once after a rest; 7 may start now`; null: how often they start is not limited. */
  readonly rate: string | null;
}

/** Null: it has no limit of its own. Figures that are not known just now are left out. */
export function limitUse({ limits }: Pick<TypeFigures, "limits">): LimitUse | null {
  if (limits === null) return null;
  const { maxRunning, running, rate, tokens } = limits;
  const now = tokens === null ? "" : `; ${formatCount(tokens)} may start now`;
  return {
    running: maxRunning === null ? null : runningUse(running, maxRunning),
    rate: rate && `${formatRate(rate)}, ${formatCount(rate.burst)} at once after a rest${now}`,
  };
}

function runningUse(running: number | null, most: number): LimitUse["running"] {
  const text =
    running === null ? `at most ${formatCount(most)}` : `${formatCount(running)} of ${formatCount(most)} run`;
  return { text, share: (running ?? 0) / most };
}

/** `4`; of a type that is limited in the whole cluster `4 of 5`. */
export function runningText({ running, limits }: Pick<TypeFigures, "running" | "limits">): string {
  const most = limits?.maxRunning ?? null;
  return most === null ? formatCount(running) : `${formatCount(limits?.running ?? running)} of ${formatCount(most)}`;
}

/** How long tasks that have ended are kept: `for 7 d`, `not at all`. */
export function keptText(keptMs: number): string {
  return keptMs === 0 ? "not at all" : `for ${formatDuration(keptMs)}`;
}

/** `paused by shop-backend: “a bad deploy”`. */
export function pausedBy({ by, reason }: Pause, actorName: ActorName): string {
  return `paused by ${actorName(by)}${reason === null ? "" : `: “${reason}”`}`;
}

/** The same of a type; where it is not the type's own pause, whose it is. */
export function pauseWords(pause: Pause, actorName: ActorName): string {
  return `${pause.type === null ? "its namespace is " : ""}${pausedBy(pause, actorName)}`;
}

/** What has become of a change of settings. `done`: what to say of it where every node obeys. */
export function changeText(done: string, { waitingFor }: Pick<TypeChange, "waitingFor">): string {
  if (waitingFor === null) return `${done} Whether every node obeys is not known: Postgres went away.`;
  if (waitingFor.length === 0) return done;
  return `${done} Not obeyed yet by ${waitingFor.join(", ")}.`;
}

/** `11 types. One waits for a node, one fails; nine run as they should.` */
export function typesSentence(types: readonly TypeFigures[], hasMore: boolean): string {
  if (types.length === 0) return "There is no type yet: the first task of a type makes it.";
  const count = (need: Need): number => types.filter((type) => needOf(type) === need).length;
  const none = count("no node");
  const failing = count("failing");
  const open = count("breaker open");
  const paused = count("paused");
  const waiting = count("waiting");
  const well = count("well");
  const bad = [
    none > 0 && `${numberText(none)} ${none === 1 ? "waits" : "wait"} for a node`,
    failing > 0 && `${numberText(failing)} ${failing === 1 ? "fails" : "fail"}`,
    open > 0 && `${numberText(open)} ${open === 1 ? "has an open breaker" : "have open breakers"}`,
    paused > 0 && `${numberText(paused)} ${paused === 1 ? "is" : "are"} paused`,
    waiting > 0 && `${numberText(waiting)} ${waiting === 1 ? "waits" : "wait"} its turn`,
  ].filter((part) => part !== false);
  const many = `${hasMore ? "The first " : ""}${formatCount(types.length)} type${types.length === 1 ? "" : "s"}.`;
  if (bad.length === 0) return `${many} All run as they should.`;
  const rest =
    well > 0 ? `; ${numberText(well)} ${well === 1 ? "runs" : "run"} as ${well === 1 ? "it" : "they"} should` : "";
  return `${many} ${capital(`${bad.join(", ")}${rest}`)}.`;
}

const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

const numberText = (count: number): string => words[count] ?? formatCount(count);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
