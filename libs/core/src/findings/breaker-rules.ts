import type { Breaker } from "../ports/breaker-store.js";
import { MAX_COUNTED_OVERDUE, type TypeFigures } from "../ports/figure-store.js";
import type { Cause } from "../reports/finding.js";
import { causeOf } from "./cause.js";
import type { FindingScene } from "./finding-scene.js";

/** How many hosts of a namespace are told one by one. */
const MAX_TOLD_HOSTS = 20;
/** A rest of a host is told if it is so long, in milliseconds. */
const LONG_REST_MS = 60_000;

/** Types whose attempts fail, and hosts that have asked to be left alone for long. */
export function breakerCauses(scene: FindingScene): Cause[] {
  const types = scene.breakers.filter(({ kind }) => kind === "type");
  return [...types.map((breaker) => openBreaker(scene, breaker)), ...restingHosts(scene)];
}

/** Whether nothing of a type starts since its breaker is open. */
export function isBreakerOpen({ breakers }: FindingScene, { namespace, type }: TypeFigures): boolean {
  return breakers.some((one) => one.kind === "type" && one.namespace === namespace && one.name === type);
}

function openBreaker(scene: FindingScene, { namespace, name, openedAt, until, failedTrials }: Breaker): Cause {
  const figures = (scene.types ?? []).find((one) => one.namespace === namespace && one.type === name);
  const overdue = figures?.overdue ?? 0;
  const facts = {
    namespace,
    type: name,
    since: new Date(openedAt).toISOString(),
    until: new Date(until).toISOString(),
    failedTrials,
    overdue,
    isAtLeast: overdue > MAX_COUNTED_OVERDUE,
  };
  return causeOf("BREAKER_OPEN", facts, { subject: name, namespace });
}

function restingHosts({ breakers }: FindingScene): Cause[] {
  const resting = breakers.filter(({ kind, openedAt, until }) => kind === "host" && until - openedAt >= LONG_REST_MS);
  const counts = new Map<string, number>();
  const told = resting.filter(({ namespace }) => {
    const count = (counts.get(namespace) ?? 0) + 1;
    counts.set(namespace, count);
    return count <= MAX_TOLD_HOSTS;
  });
  return told.map(({ namespace, name: host, openedAt, until }) => {
    const [since, end] = [openedAt, until].map((at) => new Date(at).toISOString());
    const facts = { namespace, host, since: since!, until: end!, hosts: counts.get(namespace)! };
    return causeOf("HOST_SLOWED", facts, { subject: host, namespace });
  });
}
