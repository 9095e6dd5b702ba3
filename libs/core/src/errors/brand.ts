/**
 * Makes a class known where two copies of its package are loaded: by a symbol of the whole process instead of its
 * identity. So `instanceof` also finds what the other copy has made. For a subclass it asks as usual.
 *
 * @example
 * export class LateError extends Error {}
 * brand(LateError, "LateError");
 */
export function brand(type: Branded, name: string): void {
  const mark = Symbol.for(`tickwheel.${name}`);
  Object.defineProperty(type.prototype, mark, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: Branded, value: unknown): boolean {
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && mark in value;
    },
  });
}

/** A class. */
type Branded = abstract new (...parameters: never[]) => object;
