/** Puts a text aside until all rules have been applied, and answers what stands for it meanwhile. */
export type Keep = (text: string) => string;

/** What is of no account in a message, or must stay as it is. */
interface PrintRule {
  why: string;
  what: RegExp;
  /** `group`: what the group of `what` has found, if it has one. */
  becomes: string | ((found: string, keep: Keep, group: string) => string);
}

const kept = (found: string, keep: Keep): string => keep(found);

/**
 * What becomes of a message, rule by rule: each sees what those before it have left. A kept text is one character of
 * the private use area between two U+FDD0 then, so that no other rule finds a part of it.
 *
 * Each rule takes at most the square of the message's length in steps, on whatever text; a test counts them.
 */
export const PRINT_RULE_TABLE: readonly PrintRule[] = [
  {
    why: "A status tells causes apart: 503 is not 410.",
    what: /\b(?:HTTP(?:\/[\d.]+)?|Http\w*Error|HTTPError|status(?:Code)?(?: code)?|answered|responded with|exit code)[ :=]*([1-5]?\d{1,2})\b(?![\w.]*\d)/gi,
    becomes: (found, keep, status) => found.slice(0, -status.length) + keep(status),
  },
  { why: "The name of an error is its kind, also with a digit in it.", what: /^[A-Za-z_$][\w$.]*: /, becomes: kept },
  {
    why: "A code as the first word names the cause: E11000, ORA-00060, SQLSTATE[40001].",
    what: /(?<=^(?:\ufdd0[\ue000-\uf8ff]\ufdd0)?)(?:[A-Z]{1,2}\d{4,5}|ORA-\d{5}|SQLSTATE\[?\d[0-9A-Z]{4})\b/,
    becomes: kept,
  },
  // oxlint-disable-next-line no-control-regex -- it begins every colour
  { why: "A colour says nothing.", what: /\u001b\[[0-9;]*[A-Za-z]/g, becomes: "" },
  {
    why: "Of a URL the host and the words of its path name the cause; its ids, query and user differ.",
    what: /\b(?:https?|wss?|amqps?|rediss?|postgres(?:ql)?|mongodb(?:\+srv)?|kafka):\/\/[^\s"'`<>)\]}\ufdd0]+/gi,
    becomes: (url, keep) => keep(addressOf(url)),
  },
  {
    why: "Machines change their IPv6 addresses and ports.",
    what: /(?<![\w:])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%\w+)?\]?(?::\d{1,5})?(?![\w:])/gi,
    becomes: (text) => (/[0-9a-f]/i.test(text) && !/^\d\d:\d\d:\d\d$/.test(text) ? "<ip>" : text),
  },
  { why: "And their IPv4 ones.", what: /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b/g, becomes: "<ip>" },
  {
    why: "A body in JSON, or an object as it is logged, is data; brackets around plain words are not.",
    what: /[{[](?:[^{}[\]\n]|[{[](?:[^{}[\]\n]|[{[][^{}[\]\n]*[}\]])*[}\]])*[}\]]/g,
    becomes: (text) => (/["':,=]/.test(text) ? "{…}" : text),
  },
  {
    why: "What is quoted is data; an apostrophe within a word quotes nothing.",
    what: /"(?:[^"\\\n]|\\.)*"|“[^”\n]*”|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)/g,
    becomes: "'…'",
  },
  { why: "Each task has its own UUID.", what: /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, becomes: "#" },
  { why: "Each customer has their own address.", what: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, becomes: "<mail>" },
  {
    why: "Each case has its own day,",
    what: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
    becomes: "<time>",
  },
  { why: "and its own time of day.", what: /\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, becomes: "<time>" },
  {
    why: "Paths differ by machine and release, with their lines and columns.",
    what: /(?:file:\/\/)?(?:[A-Za-z]:\\|\\\\|~?\/|\.{1,2}\/)(?:[\w@.+ -]*[\w@.+-][\\/])*[\w@.+-]+(?::\d+){0,2}/g,
    becomes: "<path>",
  },
  { why: "An address in memory.", what: /\b0x[0-9a-f]+\b/gi, becomes: "#" },
  { why: "A hash, the id of a trace.", what: /\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, becomes: "#" },
  {
    why: "An id of letters and digits.",
    what: /\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{12,}\b/g,
    becomes: "#",
  },
  {
    why: "An id behind what it is of: evt_88213, order-42.",
    what: /(?<=[A-Za-z])[_-](?=[A-Za-z0-9]*\d)[A-Za-z0-9]+\b/g,
    becomes: "_#",
  },
  {
    why: "Counts, sizes and times, with or without a unit.",
    what: /(?<![A-Za-z_])[-+]?\d(?:[\d_,]*\d)?(?:\.\d+)*(?:e[-+]?\d+)?/gi,
    becomes: "#",
  },
  {
    why: "The number of a worker, of a shard: what digits are left stand behind a letter.",
    what: /\d+/g,
    becomes: "#",
  },
  { why: "Versions, dates of other forms, ranges are one number.", what: /#(?:[.,:/-]?#)+/g, becomes: "#" },
  {
    why: "Two items or two hundred are one list.",
    what: /(?:'…'|#|<\w+>)(?:[,;] ?(?:and |or )?(?:'…'|#|<\w+>))+/g,
    becomes: "…",
  },
  { why: "White space is layout.", what: /\s+/g, becomes: " " },
];

/** The host and the path of a URL; a step of the path that may be an id becomes `*`. */
function addressOf(url: string): string {
  const [, host = "", path = ""] = /^[a-z+]+:\/\/(?:[^/@\s]*@)?([^/:?#\s,]*)[^/?#\s]*([^?#\s]*)/i.exec(url) ?? [];
  const steps = path.replace(/[.,;:]+$/, "").split("/");
  const words = steps.filter(Boolean).map((step) => (/^[A-Za-z][A-Za-z_.-]{0,23}$/.test(step) ? step : "*"));
  return [host.toLowerCase(), ...words].join("/");
}
