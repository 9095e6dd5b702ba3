import {
  BATCH_KEY,
  MAX_DELAY_MS,
  MAX_KEY_LENGTH,
  MAX_PAYLOAD_BYTES,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  MAX_TAGS_BYTES,
  SCHEDULE_KEY,
} from "@tickwheel/core";
import type { QuotedSchema } from "../connection/session.js";
import { SAFE_PATH } from "./safe-path.js";

const DAY_MS = 86_400_000;
const MOST_ATTEMPTS = 1_000;
const MOST_PAYLOAD_VERSION = 32_767;

/** What is wrong with a value, by what is wrong: SQL conditions and what is told. The first that holds is told. */
type Rules = readonly (readonly [condition: string, message: string])[];

const NOT_GIVEN = "not given";

/** The rules of a task's fields, in SQL of the parameters of `schedule`: those of every other way in. */
function rulesOf(schema: QuotedSchema): Record<string, Rules> {
  return { ...rulesOfTask(schema), ...RULES_OF_OPTIONS, tags: rulesOfTags(schema) };
}

function rulesOfTask(schema: QuotedSchema): Record<string, Rules> {
  return {
    type: [[NOT_GIVEN, "must be given"]],
    key: [
      [
        `${lengthOf(schema, "key")} NOT BETWEEN 1 AND ${MAX_KEY_LENGTH}`,
        `must be a string of 1 to ${MAX_KEY_LENGTH} characters`,
      ],
      [
        `starts_with(key, '${SCHEDULE_KEY}')`,
        `must not begin with ${SCHEDULE_KEY}, which is for the keys of schedules`,
      ],
      [`starts_with(key, '${BATCH_KEY}')`, `must not begin with ${BATCH_KEY}, which is for the keys of batches`],
    ],
    payload: [
      [`octet_length(payload::text) > ${MAX_PAYLOAD_BYTES}`, `must be at most ${MAX_PAYLOAD_BYTES} bytes of JSON`],
      [`${schema}.is_too_deep(payload)`, "must not be nested deeper than 32 levels"],
    ],
    delay: durationRules("delay", 0, MAX_DELAY_MS),
    scheduled_at: [
      ["delay IS NOT NULL", "must not be given together with delay"],
      ["NOT isfinite(scheduled_at)", "must be an instant"],
      ["scheduled_at < 'epoch'", "must not be before 1970"],
      [
        `scheduled_at > clock_timestamp() + interval '${MAX_DELAY_MS / DAY_MS} days'`,
        "must be at most 100 years from now",
      ],
    ],
  };
}

const RULES_OF_OPTIONS: Record<string, Rules> = {
  max_wait: [
    [
      "key IS NULL OR on_conflict IS DISTINCT FROM 'refresh'",
      "must be given only together with a key and on_conflict refresh",
    ],
    ...durationRules("max_wait", 1, MAX_DELAY_MS),
  ],
  timeout: durationRules("timeout", 1, DAY_MS),
  start_deadline: durationRules("start_deadline", 1, MAX_DELAY_MS),
  priority: rangeRules("priority", 0, 9),
  max_attempts: rangeRules("max_attempts", 1, MOST_ATTEMPTS),
  payload_version: rangeRules("payload_version", 1, MOST_PAYLOAD_VERSION),
  on_conflict: [
    [NOT_GIVEN, "must be one of reject, return, replace, refresh"],
    ["on_conflict = 'merge'", "must not be merge, which REST, GraphQL and code have"],
    [
      "on_conflict NOT IN ('reject', 'return', 'replace', 'refresh')",
      "must be one of reject, return, replace, refresh",
    ],
  ],
};

function rulesOfTags(schema: QuotedSchema): Rules {
  return [
    ["array_ndims(tags) > 1 OR array_position(tags, NULL) IS NOT NULL", "must be a list of strings"],
    [`cardinality(tags) > ${MAX_TAGS}`, `must hold at most ${MAX_TAGS} tags`],
    [
      `EXISTS (SELECT FROM unnest(tags) tag WHERE ${lengthOf(schema, "tag")} NOT BETWEEN 1 AND ${MAX_TAG_LENGTH})`,
      `must be strings of 1 to ${MAX_TAG_LENGTH} characters`,
    ],
    ["(SELECT count(DISTINCT tag) FROM unnest(tags) tag) < cardinality(tags)", "must not hold the same tag twice"],
    [
      `octet_length(convert_to(array_to_string(tags, ''), 'UTF8')) > ${MAX_TAGS_BYTES}`,
      `must be at most ${MAX_TAGS_BYTES} bytes of UTF-8, all tags together`,
    ],
  ];
}

/**
 * The helpers of the checks. `text_length` counts as JavaScript does: a character beyond the first 65,536 counts twice.
 * `is_too_deep` reads the brackets of a JSON text outside its strings.
 */
export function inputHelpers(schema: QuotedSchema): string {
  return `
CREATE FUNCTION ${schema}.text_length(given text) RETURNS integer
LANGUAGE sql IMMUTABLE ${SAFE_PATH}
RETURN length(given) + CASE WHEN octet_length(given) = length(given) THEN 0
  ELSE length(regexp_replace(given, '[^\\U00010000-\\U0010FFFF]', '', 'g')) END;

CREATE FUNCTION ${schema}.is_too_deep(given json) RETURNS boolean
LANGUAGE sql IMMUTABLE ${SAFE_PATH}
RETURN (
  SELECT coalesce(max(depth), 0) > 32 FROM (
    SELECT sum(CASE WHEN mark IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY place) AS depth
      FROM regexp_split_to_table(regexp_replace(regexp_replace(given::text, '"(\\\\.|[^"\\\\])*"', '', 'g'), '[^][{}]', '', 'g'), '')
           WITH ORDINALITY AS marks (mark, place)
     WHERE mark <> ''
  ) depths
);
`;
}

/** Statements of `schedule` that put each fault into `faults`, as `field message`. */
export function collectFaults(schema: QuotedSchema): string {
  const found = Object.entries(rulesOf(schema)).map(([field, rules]) => {
    const isRequired = rules.some(([condition]) => condition === NOT_GIVEN);
    const cases = rules.map(([condition, message]) => {
      return `WHEN ${condition === NOT_GIVEN ? `${field} IS NULL` : condition} THEN '${field} ${message}'`;
    });
    if (!isRequired) cases.unshift(`WHEN ${field} IS NULL THEN NULL`);
    return `CASE ${cases.join("\n         ")} END`;
  });
  return `  faults := array_remove(ARRAY[\n    ${found.join(",\n    ")}\n  ], NULL);`;
}

function lengthOf(schema: QuotedSchema, text: string): string {
  return `${schema}.text_length(${text})`;
}

function durationRules(name: string, leastMs: number, mostMs: number): Rules {
  const ms = `extract(epoch FROM ${name}) * 1000`;
  return [
    [`${ms} < ${leastMs}`, leastMs === 0 ? "must not be negative" : `must be at least ${leastMs} ms`],
    [`NOT ${ms} <= ${mostMs}`, `must be at most ${mostMs} ms`],
  ];
}

function rangeRules(name: string, least: number, most: number): Rules {
  return [
    [`${name} < ${least}`, `must be at least ${least}`],
    [`${name} > ${most}`, `must be at most ${most}`],
  ];
}
