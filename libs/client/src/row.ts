/** A call as it is sent. */
export interface Row {
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** @example "/v1/tasks/:id" */
  readonly path: string;
  /** Whether it may be sent again where nobody knows what became of it. `keyed`: with its idempotency key. */
  readonly repeat: "reads" | "same" | "keyed" | "refused";
  /** Where its input goes. Absent: it takes none. */
  readonly given?: "body" | "query";
  /** Lists of its query that are given item by item, since their texts may have commas. */
  readonly whole?: readonly string[];
  /** It takes an idempotency key. */
  readonly isOnce?: true;
  /** It waits for tasks, which its answer gives away. */
  readonly isPoll?: true;
  /** Its answer is a stream of events. */
  readonly isStream?: true;
}
