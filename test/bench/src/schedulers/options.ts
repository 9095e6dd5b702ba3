import { FlagReader } from "../flag-reader.js";
import type { ContestantName } from "./contestants/contestants.js";
import type { HolderName } from "./snapshot-hold.js";
import { type SettingsName, usualSettings } from "./contestants/contestant.js";

/** Options of one job, complete. */
export interface SchedulerOptions {
  readonly peers: readonly ContestantName[];
  readonly settings: readonly SettingsName[];
  readonly reps: number;
  readonly postgres: 18 | 15;
  /** Tasks due per second. */
  readonly rate: number;
  /** Tasks in the store that are not due. */
  readonly pending: number;
  /** Tasks that have finished before. */
  readonly finished: number;
  /** Processes of ours. */
  readonly nodes: number;
  /** Who holds a snapshot; null: the job has none held. */
  readonly holder: HolderName | null;
  /** How long a soak or a hold takes; one digit after the point at most. */
  readonly minutes: number;
  /** How long each cell of a table is measured. */
  readonly seconds: number;
  /** Schedules of ours, each daily, of which none is due. */
  readonly schedules: number;
  readonly isQuick: boolean;
  readonly printsJson: boolean;
  readonly plots: boolean;
  readonly saves: boolean;
}

/** As commander names them; `true` stands for an option without its value. */
export type SchedulerFlags = Partial<
  Record<"peer" | "settings" | "holder" | "reps" | "postgres" | JobOption, string | true>
> &
  Partial<Record<"quick" | "json" | "plot" | "save", boolean>>;

/** An option that only some jobs have. */
export type JobOption = "rate" | "pending" | "finished" | "nodes" | "minutes" | "seconds" | "schedules";

/** What a job allows, and what it takes without being told. */
export interface OptionRules {
  readonly peers: readonly ContestantName[];
  /** The settings of the others. Default: the usual ones. */
  readonly settings?: readonly SettingsName[];
  /** The settings of ours. Default: its defaults. */
  readonly ownSettings?: readonly SettingsName[];
  /** Who may hold a snapshot, the default first. Default: nobody. */
  readonly holders?: readonly HolderName[];
  readonly defaults: Partial<Record<JobOption, number>>;
  /** What `--quick` takes in place of these. */
  readonly quick: Partial<Record<JobOption, number>>;
}

const RANGES = {
  rate: [1, 100_000],
  pending: [0, 20_000_000],
  finished: [1_000, 1_000_000_000],
  nodes: [1, 9],
  minutes: [0.1, 1_440],
  seconds: [1, 600],
  schedules: [0, 100_000],
  reps: [1, 99],
} as const;
const REPS = 3;

/**
 * Judges the flags, all of them.
 * @param rest what is no option of this job
 * @param faults receives a sentence for each fault; without any the options are good
 */
export function readSchedulerOptions(
  { flags, rest }: { flags: SchedulerFlags; rest: readonly string[] },
  rules: OptionRules,
  faults: string[],
): SchedulerOptions {
  const read = new FlagReader(faults);
  read.nothingElse(rest);
  const one = (name: keyof typeof RANGES): number | undefined => {
    const numbers = read.numbers(name, flags[name], [...RANGES[name]]);
    if (numbers && numbers.length > 1) faults.push(`--${name} takes one number`);
    return numbers?.[0];
  };
  const isQuick = flags.quick ?? false;
  const settings = rules.settings ?? usualSettings;
  const ofJob = (name: JobOption): number =>
    one(name) ?? (isQuick ? rules.quick[name] : undefined) ?? rules.defaults[name] ?? 1;
  return {
    peers: read.names("peer", flags.peer, rules.peers) ?? rules.peers,
    settings: read.names("settings", flags.settings, settings) ?? settings,
    reps: one("reps") ?? (isQuick ? 1 : REPS),
    postgres: postgresOf(flags.postgres, faults),
    rate: ofJob("rate"),
    pending: ofJob("pending"),
    finished: ofJob("finished"),
    holder: holderOf(read, flags.holder, { holders: rules.holders ?? [], faults }),
    nodes: ofJob("nodes"),
    minutes: ofJob("minutes"),
    seconds: ofJob("seconds"),
    schedules: rules.defaults.schedules === undefined ? 0 : ofJob("schedules"),
    isQuick,
    printsJson: flags.json ?? false,
    plots: flags.plot ?? false,
    saves: flags.save ?? false,
  };
}

function holderOf(
  read: FlagReader,
  flag: string | true | undefined,
  { holders, faults }: { holders: readonly HolderName[]; faults: string[] },
): HolderName | null {
  const names = flag === undefined ? undefined : read.names("holder", flag, holders);
  if (names && names.length > 1) faults.push("--holder takes one name");
  return names?.[0] ?? holders[0] ?? null;
}

function postgresOf(flag: string | true | undefined, faults: string[]): 18 | 15 {
  if (flag === undefined || flag === "18") return 18;
  if (flag !== "15") faults.push(flag === true ? "--postgres needs a value" : `--postgres takes 18 or 15, not ${flag}`);
  return 15;
}
