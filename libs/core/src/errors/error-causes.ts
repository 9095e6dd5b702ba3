/** How many errors of a chain are looked at, the first one among them. */
const LONGEST_CHAIN = 8;

/**
 * What was thrown, its cause, the cause's cause and so on: at most eight, each once, however long the chain is and
 * whether or not it bites its tail. Never throws; a cause that cannot be read ends it.
 *
 * @example errorChainOf(new Error("a", { cause: new Error("b") })).map(String) // ["Error: a", "Error: b"]
 */
export function errorChainOf(thrown: unknown): unknown[] {
  const chain: unknown[] = [thrown];
  for (let cause = causeOf(thrown); cause !== undefined && !chain.includes(cause); cause = causeOf(cause)) {
    if (chain.length === LONGEST_CHAIN) break;
    chain.push(cause);
  }
  return chain;
}

/** The errors of an `AggregateError`, of any realm: the first of them, and how many there are. Never throws. */
export function gatheredErrors(thrown: unknown, most: number): { errors: unknown[]; count: number } {
  try {
    const { errors } = thrown as AggregateError;
    if (!isAggregate(thrown) || !Array.isArray(errors)) return { errors: [], count: 0 };
    return { errors: errors.slice(0, most), count: errors.length };
  } catch {
    return { errors: [], count: 0 };
  }
}

function isAggregate(thrown: unknown): boolean {
  return thrown instanceof AggregateError || (thrown as Error | null)?.name === "AggregateError";
}

/** Undefined: it has none. */
function causeOf(thrown: unknown): unknown {
  try {
    return (thrown as Error | null | undefined)?.cause ?? undefined;
  } catch {
    return undefined;
  }
}
