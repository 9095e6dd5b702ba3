import { ADDRCONFIG, type LookupAddress, type LookupAllOptions, promises, type RecordWithTtl } from "node:dns";
import { type Clock, errorText } from "@tickwheel/core";

/** As `dns.lookup` with `all`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** What a name stands for, and for how long that may be remembered. */
export interface Found {
  addresses: LookupAddress[];
  rememberMs: number;
}

/** A look-up under way. It ends by itself within a limit, so nobody waits longer. */
export interface LookUp {
  /** Rejects with a {@link NameError}. */
  found: Promise<Found>;
  /** Nobody waits for it any more. */
  cancel(): void;
}

/** Where names are looked up. */
export interface NameSource {
  lookUp(name: string): LookUp;
}

/** A name that could not be looked up. */
export class NameError extends Error {
  constructor(name: string, reason: string) {
    super(`${name} could not be looked up: ${reason}`);
  }
}

/**
 * A name server is asked twice within this time, in milliseconds: a slow name is in its cache when the task is tried
 * again.
 */
const SERVERS_LIMIT_MS = 2_000;
const SERVERS = { timeout: 1_000, tries: 2 };
/**
 * How long addresses of one family wait for those of the other, in milliseconds: some servers never answer for IPv6.
 */
const OTHER_FAMILY_MS = 250;
/** The system may ask several servers, each more than once; a lost packet alone costs it five seconds. */
const SYSTEM_LIMIT_MS = 6_000;
/** How many addresses of each family are tried and remembered. */
const MAX_ADDRESSES = 16;
/** For how long answers are remembered, in milliseconds: those of name servers as long as they say, within bounds. */
const REMEMBER_MS = { least: 1_000, most: 60_000, system: 10_000 };

/** By code of `node:dns`; any other code is told as it is. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such name",
  EBADNAME: "there is no such name",
  ENODATA: "it has no address",
  ESERVFAIL: "the name server failed",
  EREFUSED: "the name server refused",
  EAI_AGAIN: "no name server answered",
  ECONNREFUSED: "no name server can be reached",
};
/** The name servers gave an answer: the name has no address. */
const NOTHING = new Set(["ENOTFOUND", "EBADNAME", "ENODATA"]);
const LATE = new Set(["ETIMEOUT", "ECANCELLED"]);

/**
 * Asks name servers, for IPv4 and IPv6 at once, by c-ares: on the loop, without a thread, and it can be cancelled. It
 * knows no `/etc/hosts` and no search domains: those are not for names that strangers choose. Each look-up has a
 * resolver of its own, since cancelling ends all of a resolver's.
 */
export class ServerNames implements NameSource {
  /** @param servers `ip` or `ip:port`; absent: those of the system */
  constructor(
    private readonly clock: Clock,
    private readonly servers?: readonly string[],
  ) {}

  lookUp(name: string): LookUp {
    let cancel = (): void => {};
    const ask = async (): Promise<Found> => {
      const resolver = new promises.Resolver(SERVERS);
      if (this.servers) resolver.setServers(this.servers);
      cancel = () => resolver.cancel();
      return this.found(name, resolver);
    };
    return { found: ask(), cancel: () => cancel() };
  }

  private async found(name: string, resolver: promises.Resolver): Promise<Found> {
    const cancel = (): void => resolver.cancel();
    let limit = this.clock.setTimer(SERVERS_LIMIT_MS, cancel);
    const firstOnes = (records: RecordWithTtl[]): RecordWithTtl[] => {
      limit.clear();
      limit = this.clock.setTimer(OTHER_FAMILY_MS, cancel);
      return records.slice(0, MAX_ADDRESSES);
    };
    const answers = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }).then(firstOnes),
      resolver.resolve6(name, { ttl: true }).then(firstOnes),
    ]);
    limit.clear();
    const records = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (records.length === 0) throw new NameError(name, reasonOf(answers));
    const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1_000;
    return {
      addresses: records.map(({ address }) => ({ address, family: address.includes(":") ? 6 : 4 })),
      rememberMs: Math.min(Math.max(ttlMs, REMEMBER_MS.least), REMEMBER_MS.most),
    };
  }
}

/**
 * Asks the system: `/etc/hosts`, search domains, names of a cluster's services. Such a look-up holds a thread and
 * cannot be cancelled, so there is one per name, and who asks again while an old one is still under way waits for that
 * one. For names that the operator chose.
 */
export class SystemNames implements NameSource {
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();

  constructor(
    private readonly clock: Clock,
    private readonly resolve: Resolve,
  ) {}

  lookUp(name: string): LookUp {
    const underWay = this.underWay.get(name) ?? this.asked(name);
    let cancel = (): void => {};
    const found = new Promise<Found>((resolve, reject) => {
      const giveUp = (): void => reject(new NameError(name, noAnswerIn(SYSTEM_LIMIT_MS)));
      const limit = this.clock.setTimer(SYSTEM_LIMIT_MS, giveUp);
      cancel = () => {
        limit.clear();
        giveUp();
      };
      underWay
        .then((addresses) => resolve({ addresses, rememberMs: REMEMBER_MS.system }))
        .catch((error: unknown) => reject(new NameError(name, reasonOfError(error))))
        .finally(() => limit.clear());
    });
    return { found, cancel: () => cancel() };
  }

  private asked(name: string): Promise<LookupAddress[]> {
    const answer = new Promise<LookupAddress[]>((resolve, reject) => {
      this.resolve(name, { all: true, hints: ADDRCONFIG }, (error, addresses) =>
        error ? reject(error) : resolve(addresses),
      );
    }).finally(() => this.underWay.delete(name));
    this.underWay.set(name, answer);
    return answer;
  }
}

/**
 * For two answers without an address, the reason that says most: silence about one family is worse than none of the
 * other.
 */
function reasonOf(answers: readonly PromiseSettledResult<unknown>[]): string {
  const errors = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as unknown] : []));
  const failure = errors.find((error) => !NOTHING.has(codeOf(error)));
  return reasonOfError(failure ?? errors[0]);
}

function reasonOfError(error: unknown): string {
  const code = codeOf(error);
  if (LATE.has(code)) return noAnswerIn(SERVERS_LIMIT_MS);
  return REASONS[code] ?? (code || errorText(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "";
}

function noAnswerIn(limitMs: number): string {
  return `no answer in ${limitMs / 1_000} s`;
}
