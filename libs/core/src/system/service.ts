/**
 * The contract of every background service: `start` and `stop` may be called at any time, in any order and twice;
 * `stop` resolves when nothing of the service runs any more, and a stopped service can be started again.
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
