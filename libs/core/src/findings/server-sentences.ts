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

export function snapshotHeld(facts: Facts): FindingSentences {
  const { who, cure } = (HOLDERS[facts.text("kind")] ?? HOLDERS["session"]!)(facts);
  return {
    title: `${who} has held a snapshot since ${facts.text("since")}`,
    consequence: `Postgres removes no row that died since: ${counted(facts.number("deadRows"), "dead row")} in the tables of the tasks after ${counted(facts.number("transactions"), "transaction")}. Claims and sweeps pass over them and get slower while it lasts. Nothing is lost.`,
    cure,
  };
}

/** Who it is, and what ends the hold. */
const HOLDERS: Readonly<Record<string, (facts: Facts) => { who: string; cure: string }>> = {
  session: (facts) => {
    const told = ["application", "user", "state"].filter((name) => facts.has(name)).map((name) => facts.text(name));
    const statement = facts.has("query") ? ` Its last statement: ${facts.text("query")}.` : "";
    return {
      who: `The session ${facts.text("name")}${told.length > 0 ? ` (${told.join(", ")})` : ""}`,
      cure: `Have its program end the transaction, or end the session: SELECT pg_terminate_backend(${facts.text("name")}).${statement}`,
    };
  },
  prepared: (facts) => {
    const gid = literal(facts.text("name"));
    return {
      who: `The prepared transaction ${gid}${facts.has("user") ? ` of ${facts.text("user")}` : ""}`,
      cure: `Have its program finish it, or roll it back: ROLLBACK PREPARED ${gid}.`,
    };
  },
  slot: (facts) => {
    const name = facts.text("name");
    return facts.is("isActive")
      ? { who: `The replication slot ${name}, which is in use,`, cure: END_THERE }
      : {
          who: `The replication slot ${name}, which nobody uses,`,
          cure: `Start its standby again, or drop the slot if the standby is gone for good: SELECT pg_drop_replication_slot(${literal(name)}).`,
        };
  },
  standby: (facts) => ({
    who: `A standby (${facts.has("application") ? `${facts.text("application")}, ` : ""}process ${facts.text("name")})`,
    cure: END_THERE,
  }),
};
const END_THERE = "End the long transaction on the standby, or set hot_standby_feedback = off there.";

/** As a statement has it. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
