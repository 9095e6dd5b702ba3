/** How GraphQL tells where a lateness went, and why a task stands as it does. */
export const LATENESS_TYPES = `
  type LatenessParts {
    "Until some node knew of the task."
    knownMs: Float!
    "In that node's wheel."
    wheelMs: Float!
    "For a place to run."
    placeMs: Float!
    "For the claim."
    claimMs: Float!
    "From the claim's answer to the start."
    startMs: Float!
    "The time of the start is known to within so much."
    clockErrorMs: Float!
    takenFrom: TakenFrom
  }
  "The node that was to start a task and did not."
  type TakenFrom {
    node: String!
    "Its last beat; null: it was not silent."
    silentSince: DateTime
    takenOverAt: DateTime!
  }
  type Because {
    "SCHEDULED, RETRIES, PUT_OFF, BREAKER, PAUSED, NO_NODE, NO_PLACE, DUE, RUNNING, STOPPING, SUCCEEDED, SKIPPED, DEAD, CANCELLED or EXPIRED."
    code: String!
    "No live node runs its type, whether it is due or not."
    hasNoNode: Boolean!
    "The last node that ran its type, where no live node does and its going is on record."
    lastRunner: LastRunner
    "Of the live nodes that run its type, where it waits for a place."
    places: PlacesInUse
    "How often its handler has put it off."
    snoozes: Int!
    "Its last start was late by 100 ms or more."
    late: LateStart
  }
  type LastRunner {
    node: String
    "DEAD or LEFT."
    how: String!
    at: DateTime!
  }
  type PlacesInUse {
    inUse: Int!
    all: Int!
  }
  type LateStart {
    latenessMs: Float!
    "known, wheel, place, claim or start: what most of it went to."
    part: String!
    partMs: Float!
    takenFrom: TakenFrom
  }`;

/** Which tasks a list shows. */
export const TASK_FILTER = `
  input TaskFilter {
    type: String
    state: [TaskState!]
    key: String
    "Whether the task holds its key."
    live: Boolean
    "One of the task's tags. No index has them, so a page may be incomplete; with a type the look is shorter."
    tag: String
    "The label of the node that runs the task, or that ran it last."
    node: String
    "A part of the last error, in upper or lower case: 1 to 200 characters."
    error: String
    scheduledFrom: DateTime
    "Exclusive."
    scheduledTo: DateTime
    "Of the next try."
    dueFrom: DateTime
    "Exclusive."
    dueTo: DateTime
    createdFrom: DateTime
    "Exclusive."
    createdTo: DateTime
  }`;
