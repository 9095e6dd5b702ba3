import type { Json } from "@tickwheel/core";

/** A task as a broker is given it. */
export interface BrokerMessage {
  /** The task's id, the same on every attempt. */
  id: string;
  type: string;
  /** The task's key; of one that has none, its id. */
  key: string;
  /** A routing key, subject, topic or stream. */
  subject: string;
  /** ASCII. */
  headers: Readonly<Record<string, string>>;
  /** The payload: JSON. */
  body: string;
  /** When this attempt began, in epoch milliseconds. */
  atMs: number;
}

/**
 * One open connection to a broker. The four kinds have one each; `connect` of a target may give another one.
 *
 * @example
 * class PulsarConnection implements BrokerConnection {
 *   isOpen = true;
 *   publish = async ({ id, body, headers }) => ({ entry: await producer.send(body, { id, headers }) });
 *   close = async () => producer.close();
 * }
 */
export interface BrokerConnection {
  /** False: it is of no more use. */
  readonly isOpen: boolean;
  /** True: the broker takes nothing from it just now, and has said so. The connection is kept. Default: it does. */
  readonly isBlocked?: boolean;
  /**
   * Ends when the broker has confirmed the message.
   *
   * @returns where the broker put it
   * @throws PublishRefusedError if the broker has refused it; BrokerAwayError if it takes nothing just now; anything
   *   else: the broker did not confirm it, and it may have arrived
   */
  publish(message: BrokerMessage): Promise<Json>;
  close(): Promise<void>;
}

/** The broker takes nothing just now, and has not got the message: it is away, or says that it is full or read only. */
export class BrokerAwayError extends Error {}

/** The broker has answered that it does not take the message. */
export class PublishRefusedError extends Error {
  /** @param isFinal no later attempt can succeed */
  constructor(
    message: string,
    readonly isFinal = false,
  ) {
    super(message);
  }
}

/** How long a connection may take to be made, and a confirmation to come, in milliseconds. */
export const BROKER_LIMIT_MS = 10_000;
