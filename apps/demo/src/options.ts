import { Command, InvalidArgumentError } from "commander";

/** What the command line says. */
export interface DemoOptions {
  /** Null: generated orders. */
  ordersFile: string | null;
  /** How many orders are generated. */
  count: number;
  rate: number;
  speed: number;
  seed: number;
  isOnce: boolean;
  killsRedis: boolean;
  usesRedis: boolean;
  printsJson: boolean;
}

/** As commander names them. */
interface Flags {
  orders?: string;
  count: number;
  rate: number;
  speed: number;
  seed: number;
  once: boolean;
  killRedis: boolean;
  redis: boolean;
  json: boolean;
}

const HIGHEST_SEED = 2 ** 32 - 1;

/**
 * Reads the command line. `--help` and mistakes end the process, with a message.
 *
 * @param argv without the program's name
 */
export function parseOptions(argv: readonly string[]): DemoOptions {
  const command = new Command("tickwheel demo")
    .description(
      "Starts Postgres, Redis and three nodes, replays orders, kills a node half-way, starts a fourth, and judges the outcome.\n" +
        "DATABASE_URL and REDIS_URL name servers to use; without them the demo starts its own.",
    )
    .option("--orders <file>", "replay the orders of this CSV file (default: generated ones of the same shape)")
    .option("--count <n>", "how many orders to generate", wholeNumber(1, 1_000_000), 10_000)
    .option("--rate <n>", "purchases in a second", positive, 250)
    .option("--speed <n>", "how many times faster an order's time-out and payment come", positive, 60)
    .option(
      "--seed <n>",
      "of the generated orders and of the choice of the killed node",
      wholeNumber(0, HIGHEST_SEED),
      1,
    )
    .option("--once", "exit after the report; else the cluster stays up until Ctrl-C", false)
    .option("--kill-redis", "kill Redis together with the node", false)
    .option("--no-redis", "coordinate through Postgres alone")
    .option("--json", "print the report as one last line of JSON, too", false);
  const flags = command.parse(argv, { from: "user" }).opts<Flags>();
  if (flags.killRedis && !flags.redis) command.error("error: --kill-redis and --no-redis exclude each other");
  if (flags.killRedis && process.env["REDIS_URL"])
    command.error("error: --kill-redis kills only a Redis of the demo's own: unset REDIS_URL");
  const { orders, once, killRedis, redis, json, ...numbers } = flags;
  const switches = { isOnce: once, killsRedis: killRedis, usesRedis: redis, printsJson: json };
  return { ...numbers, ...switches, ordersFile: orders ?? null };
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < from || value > to)
      throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
    return value;
  };
}
