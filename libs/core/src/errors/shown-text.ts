/** A path is cut to this many characters: the sender of the request chose the names in it. */
const MAX_PATH_LENGTH = 80;

/**
 * A text of a caller's as it may stand in an answer: cut, and without what JSON would have to write in six characters.
 *
 * @example shownText("a\u0000b") // "a\ufffdb"
 */
export function shownText(text: string, maxLength = MAX_PATH_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  // oxlint-disable-next-line no-control-regex -- these are what is meant
  return cut.replace(/[\u0000-\u001f\u007f]/g, "\ufffd").toWellFormed();
}
