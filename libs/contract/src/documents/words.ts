import {
  BATCH_STATES,
  BECAUSE_CODES,
  CLUSTER_EVENT_KINDS,
  CONFLICT_POLICIES,
  OPERATION_ACTIONS,
  OPERATION_STATES,
  ROLES,
  SEVERITIES,
  TASK_STATES,
  TASK_TABS,
} from "@tickwheel/core";
import { SCHEDULE_STATES } from "@tickwheel/schedules";
import { POLICIES } from "../input/schedule-policies.js";
import { forecastQuery, historyQuery } from "../queries/other-queries.js";
import type { Shape } from "../shapes/shape.js";

const WORDS: Readonly<Record<string, readonly string[]>> = {
  taskStates: TASK_STATES,
  taskTabs: TASK_TABS,
  conflictPolicies: CONFLICT_POLICIES,
  becauseCodes: BECAUSE_CODES,
  scheduleStates: SCHEDULE_STATES,
  misfires: wordsOf(POLICIES.misfire),
  overlaps: wordsOf(POLICIES.overlap),
  resumes: wordsOf(POLICIES.onResume),
  gaps: wordsOf(POLICIES.gap),
  folds: wordsOf(POLICIES.fold),
  batchStates: BATCH_STATES,
  eventKinds: CLUSTER_EVENT_KINDS,
  operationActions: OPERATION_ACTIONS,
  operationStates: OPERATION_STATES,
  historyRanges: wordsOf(historyQuery.parameters.range),
  forecastRanges: wordsOf(forecastQuery.parameters.ahead),
  severities: SEVERITIES,
  roles: ROLES,
};

function wordsOf({ form }: Shape): readonly string[] {
  if (form.kind !== "words") throw new Error("It has no words");
  return form.words;
}

const WIDTH = 120;

/** The lists of words as a source file that imports nothing: an application that bundles it bundles nothing else. */
export function wordsSource(): string {
  const lists = Object.entries(WORDS).map(([name, words]) => {
    const quoted = words.map((word) => JSON.stringify(word));
    const line = `export const ${name} = [${quoted.join(", ")}] as const;`;
    return line.length <= WIDTH
      ? line
      : `export const ${name} = [\n${quoted.map((word) => `  ${word},\n`).join("")}] as const;`;
  });
  return `// Made by \`npm run generate\`: the lists of words of the API.\n\n${lists.join("\n")}\n`;
}
