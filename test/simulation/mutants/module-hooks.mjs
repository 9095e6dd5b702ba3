// Module hooks, in Node's loader thread: code that asks for a module of which a mutant replaces a function gets another
// one, which exports everything of the original but that function. See `replaceFunction`.

/** The names of the replaced functions, by the url of their module. */
const replaced = new Map();
let replacing;

/** Once for each function: what is replaced, and the url of the module that keeps what takes its place. */
export function initialize(given) {
  replacing = given.replacing;
  replaced.set(given.url, [...(replaced.get(given.url) ?? []), given.name]);
}

export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  if (!replaced.has(resolved.url) || context.parentURL === substituteFor(resolved.url)) return resolved;
  return { ...resolved, url: substituteFor(resolved.url) };
}

export function load(url, context, nextLoad) {
  const original = [...replaced.keys()].find((each) => substituteFor(each) === url);
  if (original === undefined) return nextLoad(url, context);
  const names = replaced.get(original);
  const source = `
    import * as original from ${JSON.stringify(original)};
    import { replacementOf } from ${JSON.stringify(replacing)};
    export * from ${JSON.stringify(original)};
    ${names.map((name) => `export const ${name} = replacementOf("${original}", "${name}", original.${name});`).join("\n")}`;
  return { format: "module", source, shortCircuit: true };
}

function substituteFor(url) {
  return `${url}?replaced`;
}
