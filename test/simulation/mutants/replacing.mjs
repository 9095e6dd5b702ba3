// How a mutant of the simulation changes the built libraries from outside. For a process of its own: what was replaced
// cannot be put back. Each replacement counts its calls, so that a mutant which is not really there cannot pass for one
// that nobody finds.
import { register } from "node:module";

const changes = new Map();
const calls = new Map();

/**
 * A module of a built library, the same instance that the library itself uses.
 *
 * @param {string} path the library and the file in it, like `engine/window-start.js`
 */
export function libraryModule(path) {
  return import(urlOf(path));
}

/**
 * Replaces a function that a module exports, for all who import the module from now on: nobody may have done so before.
 *
 * @param {string} path as of {@link libraryModule}
 * @param {string} name
 * @param {(original: Function) => Function} change answers what takes its place
 */
export function replaceFunction(path, name, change) {
  const url = urlOf(path);
  changes.set(`${url} ${name}`, { what: `${name} of ${path}`, change });
  calls.set(`${name} of ${path}`, 0);
  register("./module-hooks.mjs", import.meta.url, { data: { url, name, replacing: import.meta.url } });
}

/** For the module that stands in for a replaced one. */
export function replacementOf(url, name, original) {
  const { what, change } = changes.get(`${url} ${name}`);
  if (typeof original !== "function") throw new Error(`There is no ${what}`);
  return counted(what, change(original));
}

/**
 * Replaces a method, or what reads a property, of a class.
 *
 * @param {Function} type
 * @param {string} name
 * @param {(original: Function) => Function} change answers what takes its place; called with the same `this`
 */
export function replaceMethod(type, name, change) {
  const what = `${type.name}.${name}`;
  const found = Object.getOwnPropertyDescriptor(type.prototype, name);
  const kind = found?.get ? "get" : "value";
  if (typeof found?.[kind] !== "function") throw new Error(`There is no ${what}`);
  calls.set(what, 0);
  Object.defineProperty(type.prototype, name, { ...found, [kind]: counted(what, change(found[kind])) });
}

/** What was replaced and never called. */
export function uncalled() {
  return [...calls].filter(([, count]) => count === 0).map(([what]) => what);
}

function counted(what, work) {
  return function (...given) {
    calls.set(what, calls.get(what) + 1);
    return work.apply(this, given);
  };
}

function urlOf(path) {
  const [library, ...file] = path.split("/");
  return new URL(file.join("/"), import.meta.resolve(`@tickwheel/${library}`)).href;
}
