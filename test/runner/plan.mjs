// Which spec files a run within a budget takes. Pure: what is known of files, times and changes comes in.

/** Each of all files has its turn to come first within this many commits. */
export const TURNS = 10;
/** A file without a recorded time is taken for this long, in seconds. */
export const UNKNOWN_SECONDS = 10;

/**
 * @typedef {object} Wish
 * @property {string[]} files all spec files, as paths from the root
 * @property {Record<string, number>} times seconds of each file on a quiet machine
 * @property {(file: string) => boolean} isAlways whether a file is in every run
 * @property {string[]} touched files that the change touches, the nearest first
 * @property {number} turn the number of the commit
 * @property {number} budgetSeconds of all processors together: how long the files may take one after the other
 */

/**
 * Always the files that are in every run. Then, as long as the budget lasts, those that the change touches, and the
 * others in an order that moves on with each commit, so that each comes first within ten commits. A file that does not
 * fit any more is left out, and shorter ones behind it may still fit.
 *
 * @param {Wish} wish
 * @returns {{ run: string[], left: string[], seconds: number, touchedLeft: string[] }} `touchedLeft`: those among the
 *   left that the change touches
 * @example planOf({ files, times, isAlways: () => false, touched: [], turn: 829, budgetSeconds: 600 })
 */
export function planOf({ files, times, isAlways, touched, turn, budgetSeconds }) {
  const secondsOf = (file) => times[file] ?? UNKNOWN_SECONDS;
  const always = files.filter(isAlways);
  const isKnown = new Set(files);
  const taken = new Set(always);
  let seconds = sum(always.map(secondsOf));
  const wanted = [...touched.filter((file) => isKnown.has(file)), ...inTurn(files, secondsOf, turn)];
  for (const file of wanted) {
    if (taken.has(file) || seconds + secondsOf(file) > budgetSeconds) continue;
    taken.add(file);
    seconds += secondsOf(file);
  }
  const left = files.filter((file) => !taken.has(file));
  const isTouched = new Set(touched);
  const run = files.filter((file) => taken.has(file));
  return { run, left, seconds, touchedLeft: left.filter((file) => isTouched.has(file)) };
}

/** All files, beginning at the turn's tenth of their time. Neighbours in a folder are far apart. */
function inTurn(files, secondsOf, turn) {
  const shuffled = files.toSorted((one, other) => hashOf(one) - hashOf(other) || (one < other ? -1 : 1));
  const total = sum(shuffled.map(secondsOf));
  const skipped = (total * (turn % TURNS)) / TURNS;
  let passed = 0;
  let begin = 0;
  while (begin < shuffled.length - 1 && passed + secondsOf(shuffled[begin]) <= skipped) {
    passed += secondsOf(shuffled[begin]);
    begin++;
  }
  return [...shuffled.slice(begin), ...shuffled.slice(0, begin)];
}

/** FNV-1a, so that the order is the same everywhere. */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
