const KEYED: unique symbol = Symbol.for("tickwheel.keyed");

type Marked = object & { [KEYED]?: true };

/** Remembers of a connection that a valid key was shown on it. */
export function rememberKey(socket: object): void {
  (socket as Marked)[KEYED] = true;
}

/**
 * Whether a valid key of the API was shown on this connection of a server: for servers that end connections when they
 * have too many.
 */
export function hasShownKey(socket: object): boolean {
  return (socket as Marked)[KEYED] === true;
}
