// The process of one SQL mutant: plants it, runs the conformance suite against it, prints what came out as one line of
// JSON. Arguments: the url of an empty database, and the name of a file in `sql/`; without a name the store is left as
// it is.
import {
  clusterStoreConformance,
  interleavingConformance,
  plainConformance,
  effectStoreConformance,
  interleavedLeaseConformance,
  leaseStoreConformance,
  scheduleStoreConformance,
  taskStoreConformance,
} from "@tickwheel/conformance";

const ALL = [
  ...interleavingConformance,
  ...interleavedLeaseConformance,
  ...leaseStoreConformance,
  ...taskStoreConformance,
  ...clusterStoreConformance,
  ...effectStoreConformance,
  ...scheduleStoreConformance,
];

const [url, name] = process.argv.slice(2);
const mutant = name === undefined ? null : await import(`./sql/${name}.mjs`);
await mutant?.plant();
const { openGatedSubject } = await import("../../conformance/postgres-subject.mjs");
const { subject, close } = await openGatedSubject(url);
const startedMs = performance.now();
const found = await firstFailure(ALL);
const seconds = (performance.now() - startedMs) / 1_000;
const broken = found && mutant && !mutant.isPlain ? await firstFailure(plainConformance) : null;
await close();
console.log(JSON.stringify({ says: mutant?.says ?? null, found, seconds, broken }));

/** The first case that fails, with its reason. */
async function firstFailure(cases) {
  for (const { name: title, run } of cases) {
    try {
      await run(subject);
    } catch (error) {
      return { case: title, reason: String(error?.message ?? error) };
    }
  }
  return null;
}
