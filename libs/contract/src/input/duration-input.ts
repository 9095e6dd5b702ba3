/** A duration as it is written: milliseconds, or a string such as `"15m"`. */
export type DurationInput = number | string;
