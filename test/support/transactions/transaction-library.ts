import type { TransactionAdapter } from "@tickwheel/nestjs";

/** An open library of transactions, as an application would use it. Its table `notes` has one column, `text`. */
export interface TransactionLibrary {
  /** What the module is given. */
  adapter: TransactionAdapter;
  /** The library's own way to run work in a transaction. */
  transaction<T>(work: (transaction: object) => Promise<T>): Promise<T>;
  /** Adds a row, by the library's own means. */
  note(transaction: object, text: string): Promise<unknown>;
  /** What looks like a transaction of the library, and is none. */
  untransacted: object;
  close(): Promise<unknown>;
}

/** A library by its name. */
export interface NamedLibrary {
  name: string;
  open(url: string): Promise<TransactionLibrary>;
}
