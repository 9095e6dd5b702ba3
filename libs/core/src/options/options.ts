import { type Fault, TickwheelError } from "../errors/errors.js";
import { checkNumbers, type NumberRule } from "./number-rules.js";
import { type OptionEntry, OPTIONS } from "./option-table.js";
import type { SchedulerOptions } from "./scheduler-options.js";

const entries = Object.entries<OptionEntry>(OPTIONS);

/** The defaults of a node's named times and limits. */
export const DEFAULT_OPTIONS = Object.fromEntries(
  entries.map(([name, { default: value }]) => [name, value]),
) as unknown as SchedulerOptions;

/** What each option may be. */
export const OPTION_RULES = Object.fromEntries(
  entries.map(([name, { kind, least, most }]) => [name, { kind, least, most }]),
) as unknown as Readonly<Record<keyof SchedulerOptions, NumberRule>>;

/** The variable that sets an option of a node: `heartbeatIntervalMs` is `TICKWHEEL_HEARTBEAT_INTERVAL_MS`. */
export function variableOf(option: string): string {
  return `TICKWHEEL_${option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Some of the options, as somebody gives them; undefined is as good as absent. */
export type GivenSchedulerOptions = { [Name in keyof SchedulerOptions]?: SchedulerOptions[Name] | undefined };

/**
 * Completes options with the defaults and checks them and their relations.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault at once
 * @example resolveOptions({ concurrency: 20 }).heartbeatIntervalMs // 1000
 */
export function resolveOptions(given: GivenSchedulerOptions = {}): SchedulerOptions {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(OPTION_RULES, name));
  const { numbers: options, faults } = checkNumbers(given, { rules: OPTION_RULES, defaults: DEFAULT_OPTIONS });
  faults.push(...unknown.map((path) => ({ path, message: "is not an option" })), ...brokenRelations(options));
  if (faults.length > 0) throw invalid(faults);
  return options;
}

function brokenRelations(options: SchedulerOptions): Fault[] {
  const beat = options.heartbeatIntervalMs;
  const relations: [boolean, string, string][] = [
    [
      beat * options.suspectAfterBeats <= options.redisKeyTtlMs,
      "redisKeyTtlMs",
      "must be at least heartbeatIntervalMs × suspectAfterBeats",
    ],
    [
      options.redisKeyTtlMs < beat * options.selfFenceAfterBeats,
      "selfFenceAfterBeats",
      "heartbeatIntervalMs × selfFenceAfterBeats must be above redisKeyTtlMs",
    ],
    [options.selfFenceAfterBeats < options.deadAfterBeats, "deadAfterBeats", "must be above selfFenceAfterBeats"],
    // The last claim of a node that fences itself is answered, or given up, before the node can be declared dead.
    [
      options.statementTimeoutMs <= beat * (options.deadAfterBeats - options.selfFenceAfterBeats),
      "statementTimeoutMs",
      "must be at most heartbeatIntervalMs × (deadAfterBeats − selfFenceAfterBeats)",
    ],
    [options.reloadIntervalMs < options.horizonMs, "horizonMs", "must be above reloadIntervalMs"],
    [options.livenessPollMs <= beat, "livenessPollMs", "must be at most heartbeatIntervalMs"],
    [
      options.lockTimeoutMs < beat * options.selfFenceAfterBeats,
      "lockTimeoutMs",
      "must be below heartbeatIntervalMs × selfFenceAfterBeats, after which a node is fenced",
    ],
    [options.lockTimeoutMs < options.statementTimeoutMs, "lockTimeoutMs", "must be below statementTimeoutMs"],
    [options.claimAheadMs < options.horizonMs, "claimAheadMs", "must be below horizonMs"],
    [
      options.minWebhookTimeoutMs <= options.maxWebhookTimeoutMs,
      "maxWebhookTimeoutMs",
      "must be at least minWebhookTimeoutMs",
    ],
  ];
  return relations.filter(([holds]) => !holds).map(([, path, message]) => ({ path, message }));
}

function invalid(faults: Fault[]): TickwheelError {
  const list = faults.map((fault) => `${fault.path} ${fault.message}`).join("; ");
  return new TickwheelError("CONFIGURATION_INVALID", `The options are not valid: ${list}`, { faults });
}
