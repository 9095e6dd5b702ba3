type AnyFunction = ((...parameters: never[]) => unknown) | (abstract new (...parameters: never[]) => unknown);

/** What is JSON at first sight, however deep: of it no field is looked at. */
type PlainJson =
  | (null | boolean | number | string)
  | readonly PlainJson[]
  | { readonly [field: string]: PlainJson | undefined };

/**
 * The type itself where JSON keeps its values as they are. Where it does not, the words of the compiler's refusal stand
 * in the place of what is not kept. `unknown` and `any` pass, for nothing is known of them.
 */
export type Kept<T> = unknown extends T ? T : T extends PlainJson ? T : KeptOrRefused<T>;

type KeptOrRefused<T> = T extends undefined
  ? "JSON keeps no undefined here: give null"
  : T extends bigint
    ? "JSON keeps no bigint: give its text"
    : T extends symbol
      ? "JSON keeps no symbol"
      : T extends AnyFunction
        ? "JSON keeps no function"
        : T extends Date
          ? "JSON keeps no Date: give its toISOString()"
          : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
            ? "JSON keeps no Map and no Set: give an object or a list"
            : T extends ArrayBuffer | ArrayBufferView
              ? "JSON keeps no bytes: give a text, such as base64"
              : T extends Error
                ? "JSON keeps no Error: give its message"
                : T extends PromiseLike<unknown>
                  ? "JSON keeps no promise: await it"
                  : T extends readonly unknown[]
                    ? { [Index in keyof T]: Kept<T[Index]> }
                    : HasFunction<T> extends true
                      ? "JSON keeps no functions and no methods: give a plain object"
                      : KeptFields<T>;

type HasFunction<T> = true extends { [Field in keyof T]-?: IsFunction<NonNullable<T[Field]>> }[keyof T] ? true : false;

type IsFunction<T> = unknown extends T ? false : [T] extends [never] ? false : T extends AnyFunction ? true : false;

/**
 * Mapped field by field, so that an interface is taken too. A field that may be absent may be undefined: it is left
 * out.
 */
export type KeptFields<T> = {
  [Field in keyof T]: Kept<Exclude<T[Field], undefined>> | Extract<T[Field], undefined>;
};

/** What is given where nothing else says the type of a payload: what was found, if JSON keeps it. */
export type KeptAsGiven<Given> = [Given] extends [Kept<Given>] ? Given : Kept<Given>;

/** What a handler may return: what JSON keeps, or nothing, now or later. `unknown`: what it returns is that. */
export type KeptResult<Result> = [Told<Result>] extends [Kept<Told<Result>>]
  ? unknown
  : Result extends PromiseLike<unknown>
    ? Promise<Kept<Told<Result>>>
    : Kept<Told<Result>>;

/** The same of a result that was awaited. */
export type KeptAsResult<Result> = [Told<Result>] extends [Kept<Told<Result>>] ? unknown : Kept<Told<Result>>;

type Told<Result> = Exclude<Awaited<Result>, void | undefined>;
