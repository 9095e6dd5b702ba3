import { deadQuery } from "../queries/dead-queries.js";
import { deadGroupDetails, deadGroupPage } from "../records/dead-letter.js";
import { string } from "../shapes/parts.js";
import { group } from "./operation.js";

/** Dead tasks by cause. */
export const DEAD_OPERATIONS = group({
  tag: "Dead letters",
  text: "Dead tasks by cause: those of a type whose errors say the same but for numbers, ids and times, and come from the same function. What is to be done about a group is an operation with the filter `{ type, state: dead, fingerprint }`.",
  path: {
    type: string("The type of the tasks."),
    fingerprint: string("The fingerprint of their errors."),
  },
  rows: {
    deadLetters: {
      summary: "Lists causes of dead tasks, those with the most tasks first",
      role: "viewer",
      rest: "GET /v1/dead-letters",
      query: deadQuery,
      answers: { 200: deadGroupPage },
      repeat: "reads",
      graphql: { query: "deadLetters", filter: "DeadLetterFilter" },
    },
    deadLetter: {
      summary: "Shows a cause: where its tasks died, who fails for it now, and its newest tasks",
      role: "viewer",
      rest: "GET /v1/dead-letters/:type/:fingerprint",
      answers: { 200: deadGroupDetails },
      errors: ["DEAD_LETTERS_NOT_FOUND"],
      repeat: "reads",
      graphql: { query: "deadLetter", orNull: true, text: "A cause of dead tasks, or null" },
    },
    seeDeadGroup: {
      summary: "Says that somebody has looked at a cause: it is no finding until a further task dies of it",
      role: "operator",
      rest: "POST /v1/dead-letters/:type/:fingerprint/seen",
      answers: { 200: deadGroupDetails },
      errors: ["DEAD_LETTERS_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "seeDeadGroup" },
    },
  },
});
