import { Command } from "commander";
import { usualSettings } from "./contestants/contestant.js";
import type { Job } from "./job.js";
import type { JobOption } from "./options.js";

const COMMON = `Contestants run in turn, each repetition on fresh servers: Postgres with its own defaults (fsync and synchronous commit on), Redis
with its log synced each second. Each has client and worker in one process, unless told otherwise above. All run on one Node: the one in
test/bench/peers once it is installed there, which the first run with others does. Lateness is by the host's clock.
cpuSeconds is contestant and servers together. A lost, early or doubled task fails the job.
Settings: "best" are those that a contestant's documentation names for speed, "detection" those for finding dead workers at their tightest, see
test/bench/peers/README.md; ours runs with its defaults only.`;

const OF_JOBS: Record<JobOption, string> = {
  rate: "tasks due per second",
  pending: "tasks in the store that are not due",
  finished: "tasks that have finished before",
  nodes: "processes of ours, 1 to 9",
  minutes: "how long it takes",
  seconds: "how long each cell is measured",
  schedules: "daily schedules in the store of ours, none due",
};

/**
 * The command of a job, without an action. An option may come without its value, so that all faults can be told at
 * once.
 */
export function createJobCommand({
  name,
  summary,
  explains,
  peers,
  settings = usualSettings,
  holders = [],
  defaults,
  quick,
}: Job): Command {
  const command = new Command(name)
    .description(`Measures ${summary}.`)
    .option("--peer [name,…]", `contestants (default: ${peers.join(",")})`)
    .option(
      "--settings [name,…]",
      `of the others: ${settings.join(", ")} (default: ${settings.length > 1 ? "both" : settings[0]})`,
    )
    .option("--reps [n]", "repetitions (default: 3); medians are told")
    .option("--postgres [major]", "18 or 15 (default: 18)");
  if (holders.length > 0)
    command.option("--holder [name]", `who holds: ${holders.join(", ")} (default: ${holders[0]})`);
  for (const [option, value] of Object.entries(defaults) as [JobOption, number][]) {
    const quickly = quick[option] === undefined ? "" : `; quick: ${quick[option]}`;
    command.option(`--${option} [n]`, `${OF_JOBS[option]} (default: ${value}${quickly})`);
  }
  return command
    .option("--quick", "small and once: to see that it works, not to measure")
    .option("--json", "print the results as one last line of JSON, too")
    .option("--save", "write the results to docs/benchmarks/<job>.json, too")
    .option("--plot", "draw lateness and throughput into docs/benchmarks")
    .configureHelp({ optionTerm: ({ flags }) => flags.replace("[", "<").replace("]", ">") })
    .addHelpText("after", `\nIt measures ${explains}\n\n${COMMON}`)
    .allowUnknownOption()
    .allowExcessArguments();
}
