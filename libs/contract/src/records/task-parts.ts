import { BECAUSE_CODES, LATENESS_PARTS } from "@tickwheel/core";
import {
  flag,
  instant,
  integer,
  json,
  nullable,
  number,
  object,
  said,
  share,
  string,
  wide,
  words,
} from "../shapes/parts.js";

/** The node from which a task was taken over. */
export const takenFrom = nullable(
  said(
    object("TakenFrom", {
      node: string("Its label, `ip:pid`."),
      silentSince: nullable(instant("Its last beat; null: it was not silent.")),
      takenOverAt: instant(),
    }),
    "The node that was to start it and did not; null: none is known.",
  ),
);

/** Where a start's lateness went. */
export const latenessParts = nullable(
  said(
    object("LatenessParts", {
      knownMs: wide("Until some node knew of the task."),
      wheelMs: wide("In that node's wheel."),
      placeMs: wide("For a place to run."),
      claimMs: wide("For the claim."),
      startMs: wide("From the claim's answer to the start."),
      clockErrorMs: number("The time of the start is known to within so much."),
      takenFrom,
    }),
    "The lateness in parts that add up to it, in whole milliseconds; null: not measured.",
  ),
);

const BY_ITS_ID = "Only where one task is shown by its id";

/** What a handler has told of the task that it runs. */
export const REPORT_FIELDS = {
  checkpoint: nullable(
    said(
      object("Checkpoint", { state: json("What it stored."), at: instant() }),
      `What the handler stored last for its next attempt; null: nothing. ${BY_ITS_ID}.`,
    ),
  ),
  progress: nullable(
    said(
      object("Progress", { value: share(), note: nullable(string()), at: instant() }),
      `How far the handler said last that it has come, from 0 to 1; null: it has not. ${BY_ITS_ID}.`,
    ),
  ),
};

/** The breaker of a type, which is not closed. */
export const BREAKER_FIELDS = {
  state: words(["OPEN", "HALF_OPEN"], "BreakerState", {
    OPEN: "None of its tasks starts until `until`; then one node tries one.",
    HALF_OPEN: "One task is tried just now.",
  }),
  since: instant(),
  until: instant("The next trial; of `HALF_OPEN`, when this one is over at the latest."),
  failedTrials: integer("Trials that have failed since it opened."),
};

/** Why a task stands as it does. */
export const because = said(
  object("Because", {
    code: words(BECAUSE_CODES),
    hasNoNode: flag("No live node runs its type, whether it is due or not."),
    lastRunner: nullable(
      said(
        object("LastRunner", {
          node: nullable(string()),
          how: words(["DEAD", "LEFT"]),
          at: instant(),
        }),
        "The last node that ran its type, where no live node does and its going is on record; else null.",
      ),
    ),
    places: nullable(
      said(
        object("PlacesInUse", { inUse: integer(), all: integer() }),
        "The places on the live nodes that run its type, where it waits for a place; else null.",
      ),
    ),
    halt: nullable(
      said(
        object("Halt", {
          of: words(["TYPE", "NAMESPACE", "KEY"]),
          since: instant(),
          until: nullable(instant("When it ends by itself; null: when somebody resumes it.")),
          reason: nullable(string()),
          by: string("Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key."),
        }),
        "The pause of its type, its namespace or its key, where that keeps it from starting; else null.",
      ),
    ),
    limit: nullable(
      said(
        object("FullLimit", {
          of: words(["TYPE", "NAMESPACE"]),
          maxRunning: nullable(integer("Null: it does not limit how many run.")),
          running: nullable(integer("How many run, as was read within the last seconds.")),
          rate: nullable(
            said(
              object("FullRate", { count: integer(), perMs: wide() }),
              "At most `count` start in `perMs` milliseconds; null: it does not limit how often they start.",
            ),
          ),
        }),
        "The limit of its type or its namespace that lets no more start just now, where that keeps it waiting; else null.",
      ),
    ),
    breaker: nullable(
      said(
        object("OpenBreaker", BREAKER_FIELDS),
        "The breaker of its type, where that keeps it from starting; null: it is its host's that has put it off, or none.",
      ),
    ),
    snoozes: integer("How often its handler, or its receiver, has put it off."),
    late: nullable(
      said(
        object("LateStart", {
          latenessMs: wide(),
          part: said(words(LATENESS_PARTS), "What most of it went to."),
          partMs: wide(),
          takenFrom,
        }),
        "Its last start was late by 100 ms or more: the part that most of it went to; else null.",
      ),
    ),
  }),
  `Why the task stands as it does. ${BY_ITS_ID}.`,
);
