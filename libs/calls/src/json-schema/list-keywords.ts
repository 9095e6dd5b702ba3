import type { Json } from "@tickwheel/core";
import { asList, asNumber, type JsonObject, type Keyword } from "./keyword.js";
import { type Check, FITS, type Look, MISFIT, UNKNOWN, type Verdict, worse } from "./look.js";

/* Keywords of lists. */

export const LIST_KEYWORDS: Readonly<Record<string, Keyword>> = {
  maxItems(given) {
    const most = asNumber(given);
    return ofLists((list, look) => (list.length <= most ? FITS : look.misfit(`must NOT have more than ${most} items`)));
  },
  minItems(given) {
    const least = asNumber(given);
    return ofLists((list, look) =>
      list.length >= least ? FITS : look.misfit(`must NOT have fewer than ${least} items`),
    );
  },
  prefixItems(given, { sub }) {
    const first = asList(given).map(sub);
    return ofLists((list, look) => each(list, { from: 0, to: first.length, checkOf: (at) => first[at]! }, look));
  },
  items(given, { schema, sub }) {
    const check = sub(given);
    const from = asList(schema.prefixItems ?? []).length;
    const checkOf = () => check;
    return ofLists((list, look) => each(list, { from, to: list.length, checkOf }, look));
  },
  contains(given, { schema, sub }) {
    const check = sub(given);
    const bounds = boundsOf(schema);
    return ofLists((list, look) => contained(list, { ...bounds, check }, look));
  },
};

function ofLists(check: (list: readonly Json[], look: Look) => Verdict): Check {
  return (value, look) => (Array.isArray(value) ? check(value as readonly Json[], look) : FITS);
}

interface Items {
  from: number;
  to: number;
  checkOf: (index: number) => Check;
}

function each(list: readonly Json[], { from, to, checkOf }: Items, look: Look): Verdict {
  let verdict: Verdict = FITS;
  for (let index = from; index < Math.min(to, list.length); index++) {
    verdict = worse(verdict, look.at(index, list[index]!, checkOf(index)));
    if (verdict === MISFIT && look.isQuiet) return MISFIT;
    if (look.isOver) return worse(verdict, UNKNOWN);
  }
  return verdict;
}

interface Contained {
  least: number;
  most: number;
  check: Check;
}

function boundsOf({ minContains = 1, maxContains }: JsonObject): Omit<Contained, "check"> {
  return { least: asNumber(minContains), most: maxContains === undefined ? Infinity : asNumber(maxContains) };
}

function contained(list: readonly Json[], { least, most, check }: Contained, look: Look): Verdict {
  let fitting = 0;
  let unknown = 0;
  for (const item of list) {
    const verdict = look.quietly(item, check);
    if (look.isOver) return UNKNOWN;
    if (verdict === FITS) fitting++;
    if (verdict === UNKNOWN) unknown++;
  }
  if (fitting + unknown < least) return look.misfit(`must contain at least ${least} valid item(s)`);
  if (fitting > most) return look.misfit(`must contain no more than ${most} valid item(s)`);
  return unknown === 0 ? FITS : UNKNOWN;
}
