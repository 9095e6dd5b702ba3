import { Inject, Injectable, Logger } from "@nestjs/common";
import type { IncomingHttpHeaders } from "node:http";
import {
  type ApiKey,
  type ApiKeyRight,
  API_KEY_RIGHTS,
  type Clock,
  doneWithin,
  errorText,
  type Role,
  ROLES,
  SystemClock,
  TickwheelError,
} from "@tickwheel/core";
import { roleFaults, workerTypesFaults } from "@tickwheel/contract";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { USER } from "./api-key.js";
import { API_NODE } from "./api-node.js";

/** Whom the application's own log-in knows. */
export interface ApplicationUser {
  /** What the user may do. */
  role: Role;
  /** Who it is, in journals and the audit: `user:<name>`. 1 to 128 printable characters, no space at either end. */
  name: string;
  /** Whose tasks the user sees. Default: the node's namespace. */
  namespace?: string | undefined;
  /** Whether the user may make cluster-wide calls. Default: no. */
  cluster?: boolean | undefined;
  /** What the user gets besides the role, see `API_KEY_RIGHTS`. Default: nothing; administrators need none. */
  rights?: readonly ApiKeyRight[] | undefined;
  /**
   * A `worker` needs them, and no other role takes them: 1 to 100 types whose tasks it may claim; one that ends with
   * `*` stands for all that begin so.
   */
  types?: readonly string[] | undefined;
}

/** The request of Express or Fastify, as the application's middleware and global guards have left it. */
export interface AskedRequest {
  headers: IncomingHttpHeaders;
  ip?: string | undefined;
}

type Answer = ApplicationUser | null | undefined;

/** Asks the application who calls. It is a method so that its request may be that of Express or Fastify. */
export interface AsksApplication {
  authenticate(request: AskedRequest): Answer | Promise<Answer>;
}
export type Authenticate = AsksApplication["authenticate"];

/** Injection token of {@link Authenticate}; null: the application has no log-in of its own for the API. */
export const AUTHENTICATE = Symbol("tickwheel.authenticate");

/** What the page sends as `X-CSRF-Token` in the application's own log-in: no form and no image can send a header. */
export const APPLICATION_CSRF_TOKEN = "own-log-in";

/** The application is waited for so long, in milliseconds. */
const ANSWER_MS = 5_000;
/** One line of the log for all that fails within so long, in milliseconds. */
const TOLD_EACH_MS = 10_000;

const NAME = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u;
const MAX_NAME = 128;
const NAMESPACE = /^[\x21-\x7e]{1,128}$/;

/**
 * Finds who calls by the application's own log-in, for calls that have neither a key nor a session of ours. It is asked
 * at each call, and nothing of it is remembered. A failure lets nobody in: a caller who is not known for certain gets
 * 401, and 503 where the application does not answer.
 */
@Injectable()
export class ApplicationLogIn {
  private readonly logger = new Logger("Tickwheel API");
  private toldMonoMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(AUTHENTICATE) private readonly authenticate: Authenticate | null,
    @Inject(API_NODE) private readonly node: { options: Pick<DelayTaskNode["options"], "namespace"> },
    @Inject(SystemClock) private readonly clock: Pick<Clock, "monotonicMs" | "setTimer">,
  ) {}

  /**
   * Who calls, with the rights that a key of them would have; null: nobody.
   *
   * @throws TickwheelError `STORE_UNAVAILABLE`: the application does not answer
   */
  async find(request: object): Promise<ApiKey | null> {
    if (this.authenticate === null) return null;
    let answer: unknown;
    try {
      const asked = Promise.resolve(this.authenticate(request as AskedRequest));
      if (!(await doneWithin(this.clock, ANSWER_MS, asked))) throw this.unanswered(asked);
      answer = await asked;
    } catch (error) {
      if (error instanceof Unanswered) throw new TickwheelError("STORE_UNAVAILABLE", error.message);
      return this.refuse(`threw: ${errorText(error)}`);
    }
    return answer === null || answer === undefined ? null : this.keyOf(answer);
  }

  private keyOf(answer: unknown): ApiKey | null {
    const {
      role,
      name,
      namespace = this.node.options.namespace,
      cluster = false,
      rights = [],
      types = null,
    } = Object(answer) as ApplicationUser;
    if (!ROLES.includes(role)) return this.refuse(`answered no role: one of ${ROLES.join(", ")}`);
    if (typeof name !== "string" || name.length > MAX_NAME || !NAME.test(name))
      return this.refuse(`answered no name of 1 to ${MAX_NAME} printable characters`);
    if (typeof namespace !== "string" || !NAMESPACE.test(namespace))
      return this.refuse("answered a namespace that none can have");
    if (!Array.isArray(rights) || !rights.every((right) => API_KEY_RIGHTS.includes(right as ApiKeyRight)))
      return this.refuse(`answered rights that are none: a list of ${API_KEY_RIGHTS.join(", ")}`);
    const may = { role, cluster: cluster === true, rights, types };
    const wrong = types === null ? [] : workerTypesFaults(types);
    const [fault] = [...wrong.map(({ path, message }) => ({ path: `types${path}`, message })), ...roleFaults(may)];
    if (fault) return this.refuse(`answered ${role} with ${fault.path}, which ${fault.message}`);
    return { id: `${USER}${name}`, namespace, ...may, expiresAt: null };
  }

  private unanswered(asked: Promise<unknown>): Unanswered {
    asked.catch(() => undefined);
    this.tell(`did not answer within ${ANSWER_MS / 1_000} s`, "a call was answered 503");
    return new Unanswered("The application's log-in does not answer.");
  }

  private refuse(what: string): null {
    this.tell(what, "a call was answered 401");
    return null;
  }

  private tell(what: string, consequence: string): void {
    const nowMonoMs = this.clock.monotonicMs();
    if (nowMonoMs - this.toldMonoMs < TOLD_EACH_MS) return;
    this.toldMonoMs = nowMonoMs;
    this.logger.error(`${consequence}: the application's \`authenticate\` ${what}`);
  }
}

class Unanswered extends Error {}
