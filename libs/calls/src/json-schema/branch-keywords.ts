import type { Json } from "@tickwheel/core";
import { asList, type Keyword } from "./keyword.js";
import { type Check, FITS, type Look, MISFIT, UNKNOWN, type Verdict, worstOf } from "./look.js";

/* Keywords that hold other schemas for the same value. */

export const BRANCH_KEYWORDS: Readonly<Record<string, Keyword>> = {
  allOf(given, { sub }) {
    const checks = asList(given).map(sub);
    return (value, look) => worstOf(checks, value, look);
  },
  anyOf: (given, { sub }) => anyOf(asList(given).map(sub)),
  /** What tells two branches apart may be what is not run here: more than one may fit, and none is no sure fit. */
  oneOf(given, { sub }) {
    const check = anyOf(asList(given).map(sub));
    return (value, look) => (check(value, look) === MISFIT ? MISFIT : UNKNOWN);
  },
  not(given, { sub }) {
    const check = sub(given);
    return (value, look) => {
      const verdict = look.quietly(value, check);
      if (verdict === FITS) return look.misfit("must NOT be valid");
      return verdict === MISFIT ? FITS : UNKNOWN;
    };
  },
  if(given, { schema, sub }) {
    const condition = sub(given);
    const then = sub(schema.then ?? true);
    const otherwise = sub(schema.else ?? true);
    return (value, look) => {
      const verdict = look.quietly(value, condition);
      return verdict === UNKNOWN ? UNKNOWN : (verdict === FITS ? then : otherwise)(value, look);
    };
  },
};

function anyOf(branches: readonly Check[]): Check {
  const best: Check = (value, look) => bestOf(branches, value, look);
  return (value, look) => {
    const verdict = look.quietly(value, best);
    if (verdict !== MISFIT || look.isQuiet) return verdict;
    look.misfit("must match a schema in anyOf");
    for (const branch of branches) if (!look.isOver) branch(value, look);
    return MISFIT;
  };
}

function bestOf(branches: readonly Check[], value: Json, look: Look): Verdict {
  let best: Verdict = MISFIT;
  for (const branch of branches) {
    const verdict = branch(value, look);
    if (verdict === FITS) return FITS;
    if (verdict === UNKNOWN) best = UNKNOWN;
    if (look.isOver) return UNKNOWN;
  }
  return best;
}
