import type { Json } from "@tickwheel/core";
import { asFields, asNames, asNumber, isObject, type JsonObject, type Keyword, type KeywordPlace } from "./keyword.js";
import { type Check, FITS, type Look, MISFIT, UNKNOWN, type Verdict, worse, worstOf } from "./look.js";

/* Keywords of objects. */

export const OBJECT_KEYWORDS: Readonly<Record<string, Keyword>> = {
  maxProperties(given) {
    const most = asNumber(given);
    return counted((fields) => fields <= most, `must NOT have more than ${most} properties`);
  },
  minProperties(given) {
    const least = asNumber(given);
    return counted((fields) => fields >= least, `must NOT have fewer than ${least} properties`);
  },
  properties: (given, { sub }) => ofFields(new Map(asFields(given).map(([name, schema]) => [name, sub(schema)]))),
  // After the fields: the one that tells branches apart is mostly among them.
  required: (given) => ofObjects(needed(asNames(given))),
  additionalProperties: (given, place) => ofFields(additional(given, place)),
  propertyNames(given, { sub }) {
    const check = sub(given);
    return ofFields({
      get: () => (_value: Json, look: Look, name: string) =>
        look.quietly(name, check) === MISFIT ? look.misfit("must have a valid name") : UNKNOWN,
    });
  },
  dependentRequired(given) {
    const checks = asFields(given).map(([name, names]) => ofObjects(where(name, needed(asNames(names)))));
    return (value, look) => worstOf(checks, value, look);
  },
  dependentSchemas(given, { sub }) {
    const checks = asFields(given).map(([name, schema]) => ofObjects(where(name, sub(schema))));
    return (value, look) => worstOf(checks, value, look);
  },
};

type ObjectCheck = (value: JsonObject, look: Look) => Verdict;
/** Looks at a field, whose name it is told. */
type FieldCheck = (value: Json, look: Look, name: string) => Verdict;

function ofObjects(check: ObjectCheck): Check {
  return (value, look) => (isObject(value) ? check(value, look) : FITS);
}

function where(name: string, check: ObjectCheck): ObjectCheck {
  return (value, look) => {
    if (!look.step()) return UNKNOWN;
    return Object.hasOwn(value, name) ? check(value, look) : FITS;
  };
}

function needed(names: readonly string[]): ObjectCheck {
  return (value, look) => {
    let verdict: Verdict = FITS;
    for (const name of names) {
      if (!look.step()) return worse(verdict, UNKNOWN);
      if (!Object.hasOwn(value, name)) verdict = look.misfit("is required", name);
      if (verdict === MISFIT && look.isQuiet) return MISFIT;
    }
    return verdict;
  };
}

function counted(fits: (fields: number) => boolean, message: string): Check {
  return ofObjects((value, look) => {
    const { length } = Object.keys(value);
    if (!look.step(length)) return UNKNOWN;
    return fits(length) ? FITS : look.misfit(message);
  });
}

/** Goes through the fields that there are, which are bounded by the payload: the schema's may be far more. */
function ofFields(checks: { get(name: string): FieldCheck | undefined }): Check {
  return ofObjects((value, look) => {
    let verdict: Verdict = FITS;
    for (const name in value) {
      if (!look.step()) return worse(verdict, UNKNOWN);
      const check = checks.get(name);
      if (check) verdict = worse(verdict, look.at(name, value[name]!, check));
      if (verdict === MISFIT && look.isQuiet) return MISFIT;
    }
    return verdict;
  });
}

/** The keyword for fields that neither `properties` names nor a pattern may name. */
function additional(given: Json, { schema, sub }: KeywordPlace): { get(name: string): FieldCheck | undefined } {
  const known = new Set(asFields(schema.properties ?? {}).map(([name]) => name));
  const check: FieldCheck = given === false ? (_value, look) => look.misfit("is not a known field") : sub(given);
  const unknown: FieldCheck = () => UNKNOWN;
  const others = schema.patternProperties === undefined ? check : unknown;
  return { get: (name) => (known.has(name) ? undefined : others) };
}
