import type { Migration } from "./migration.js";

/**
 * What lists need so that a rare type costs what a common one does: the finished tasks of a type, newest first, and the dead ones, which stay
 * in the live table. A partition of history gets 24 to 32 bytes more for each task.
 */
export const lists: Migration = {
  name: "Lists1763840000000",
  steps: [
    { index: "task_dead", on: "task", as: "(type_id, id) WHERE state = 3" },
    { index: "history_type", on: "history", as: "(type_id, id)" },
  ],
};
