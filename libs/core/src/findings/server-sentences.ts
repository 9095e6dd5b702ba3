import type { FindingSentences } from "../reports/finding.js";
import type { Facts } from "./facts.js";
import { counted } from "./words.js";

/** What a commit is worth without each setting, and how it is set again. */
const COMMITS: Readonly<Record<string, Omit<FindingSentences, "title">>> = {
  fsync: {
    consequence: "If its machine crashes, everything may be damaged or lost, also what was acknowledged long ago.",
    cure: "Set fsync = on and reload the server's settings.",
  },
  full_page_writes: {
    consequence: "If its machine crashes, pages may be half old and half new: tasks may be damaged or lost.",
    cure: "Set full_page_writes = on and reload the server's settings; or accept it where the file system writes whole pages.",
  },
  synchronous_commit: {
    consequence:
      "If the server crashes, the last commits are forgotten, up to three times wal_writer_delay: tasks that were acknowledged are lost, what was cancelled or completed runs again.",
    cure: "Set synchronous_commit = on for the role or the database of the nodes.",
  },
};
const UNKNOWN = { consequence: "What was acknowledged may be lost.", cure: "Set it as Postgres does by default." };

export function commitsUnsafe(facts: Facts): FindingSentences {
  const setting = facts.text("setting");
  return { title: `Postgres runs with ${setting} = ${facts.text("value")}`, ...(COMMITS[setting] ?? UNKNOWN) };
}

export function standbysAsynchronous(facts: Facts): FindingSentences {
  const standbys = facts.number("standbys");
  const cure =
    facts.text("setting") === "synchronous_commit"
      ? "Set synchronous_commit = on for the role or the database of the nodes, or accept it."
      : "Set synchronous_standby_names, or accept it.";
  return {
    title: `Postgres has ${counted(standbys, "standby")}, and commits wait for none`,
    consequence:
      "A fail-over forgets what the new primary has not received: tasks that were acknowledged in the last moments are lost, what was cancelled or completed then runs again.",
    cure,
  };
}

export function redisEvicts(facts: Facts): FindingSentences {
  return {
    title: `Redis removes keys when its memory is full (${facts.text("value")})`,
    consequence:
      "Keys of living nodes may go. Nodes then see each other through Postgres alone: a death is noticed later, and no task is lost.",
    cure: "Set maxmemory-policy noeviction, or give the nodes a Redis of their own.",
  };
}
