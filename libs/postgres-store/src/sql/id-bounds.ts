/**
 * No task has these ids. A list that goes on behind no id yet begins behind this one, so its first page is read by the
 * same range of an index as each further one; and `> (instant, this)` takes in every task of the instant.
 */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000";
export const BEHIND_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";
