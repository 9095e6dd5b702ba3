import { Command } from "commander";
import { implementationNames, implementations } from "./queues/implementations.js";
import { loadNames, loads } from "./loads.js";

const FIGURES = `It measures, as medians over repetitions that each run in a process of their own, interleaved:
  insert, cancel, reschedule   ns per operation
  fire                         ns per timer that fires; the time goes from expiry to expiry, as in the engine,
                               and tick by tick where an implementation cannot look ahead
  total                        ns of the whole life, per timer
  bytes                        growth of resident memory per timer
  poll ms                      the longest single poll: 1,024 values and 2,048 moves at most, 1,024 pops of a heap
  gc ms                        the longest pause of the garbage collector
Every run fails unless each timer that was not cancelled fired once, in order, at its tick.`;

/** The command without an action. An option may come without its value, so that all faults can be told at once. */
export function createWheelCommand(): Command {
  return new Command("wheel")
    .description("Measures the timing wheel against heaps, other wheels and setTimeout.")
    .option("--n [n,…]", "timers, 1e3 to 1e7 (default: 1e6)")
    .option("--load [name,…]", "(default: uniform-1h,orders)")
    .option("--impl [name,…]", "implementations (default: all)")
    .option("--reps [n]", "repetitions (default: 5); the slow implementations run once")
    .option("--full", "n = 1e4, 1e5, 1e6, 1e7 and all loads: takes hours")
    .option("--json", "print the results as one last line of JSON, too")
    .option("--plot", "draw docs/benchmarks/wheel.svg")
    .configureHelp({ optionTerm: ({ flags }) => flags.replace("[", "<").replace("]", ">") })
    .addHelpText("after", () => `\n${FIGURES}\n\nLoads:\n${described(loadNames, loads)}`)
    .addHelpText("after", () => `\nImplementations:\n${described(implementationNames, implementations)}`)
    .allowUnknownOption()
    .allowExcessArguments();
}

function described<Name extends string>(names: Name[], entries: Record<Name, { describes: string }>): string {
  return names.map((name) => `  ${name.padEnd(13)} ${entries[name].describes}`).join("\n");
}
