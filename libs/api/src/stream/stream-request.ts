import type { ApiKey, Fault } from "@tickwheel/core";
import { throwFaults } from "@tickwheel/calls";
import { UNKNOWN_PARAMETER } from "../bodies/known-parameters.guard.js";
import { requireClusterRight } from "../keys/api-key.guard.js";
import { isTopic, needsCluster, TOPIC_NAMES } from "./stream-topics.js";

/**
 * The topics that a request asks for, each once, in its order. They may be given several times or with commas.
 *
 * @throws TickwheelError `VALIDATION_FAILED` where there is none, or one is unknown; `FORBIDDEN` where the key has not
 *   the right of the topic's call
 */
export function topicsOf({ topics, ...others }: Record<string, unknown>, apiKey: ApiKey): string[] {
  const faults: Fault[] = Object.keys(others).map((path) => ({ path, message: UNKNOWN_PARAMETER }));
  const texts = [topics ?? []].flat().map((text) => (typeof text === "string" ? text : ""));
  const names = [...new Set(texts.flatMap((text) => text.split(",")))];
  if (names.length === 0 || !names.every(isTopic))
    faults.push({ path: "topics", message: `must be among ${TOPIC_NAMES.join(", ")}` });
  throwFaults(faults);
  if (names.some(needsCluster)) requireClusterRight(apiKey);
  return names;
}
