import { Inject, Req, Res, type Type } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import type { AnswerOf, Group, Operation, Operations } from "@tickwheel/contract/operations";
import type { JsonText } from "@tickwheel/core";
import type { FrameworkResponse } from "../bodies/request-body.js";
import type { Answered, Call, Calls, IsSaid, Served } from "./call.js";
import { OperationRoute } from "./operation-route.decorator.js";
import { type RestRequest, restCallOf } from "./rest-call.js";

/** What an answer has beside its body. */
export interface Reply {
  header(name: string, value: string): void;
  /** Sets the status, for a call that has several good ones. */
  status(status: number): void;
}

/** How an answer is written where it is not simply what the service answers. */
export type Form<Answer> = (answer: Answer, reply: Reply, call: Call) => unknown;

/** What holds payloads as text, and must be written around them. */
type WithTexts = { payload: JsonText } | { items: readonly { payload: JsonText }[] };

/** The rows whose answer is not what the contract says until a form has made it so. */
type Formed<Rows extends Operations, Service extends Calls<Rows>> = {
  [Name in Served<Rows>]: Answered<Service, Name> extends WithTexts
    ? Name
    : IsSaid<Answered<Service, Name>, AnswerOf<Rows[Name]>> extends true
      ? never
      : Name;
}[Served<Rows>];

/**
 * A form for each row that needs one. An answer that lacks a field of the contract, or has one that the contract does
 * not say, needs one, and so does not compile.
 */
export type Forms<Rows extends Operations, Service extends Calls<Rows>> = {
  readonly [Name in Formed<Rows, Service>]: Form<Answered<Service, Name>>;
} & { readonly [Name in Exclude<Served<Rows>, Formed<Rows, Service>>]?: Form<Answered<Service, Name>> };

const API = Symbol("tickwheel service");

/** What all routes of calls stand on. */
class RestCalls {
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  private readonly [API]!: Readonly<Record<string, (call: Call) => Promise<unknown>>>;

  async answer(route: RouteOfCall, request: RestRequest, response: FrameworkResponse): Promise<unknown> {
    const { id, row, form } = route;
    const call = await restCallOf(row, request, response);
    const answer = await this[API][id]!(call);
    return form ? form(answer, this.replyOf(response), call) : answer;
  }

  private replyOf(response: FrameworkResponse): Reply {
    const { httpAdapter } = this.host;
    return {
      header: (name, value) => void httpAdapter.setHeader(response, name, value),
      status: (status) => void httpAdapter.status(response, status),
    };
  }
}

interface RouteOfCall {
  id: string;
  row: Operation;
  form: Form<unknown> | undefined;
}

/**
 * A controller with a route for each row of a group, which answers what the service's method of that name does. A
 * stream has a controller of its own.
 *
 * @example export const BatchesController = restController(BATCH_OPERATIONS, BatchApiService, FORMS);
 */
export function restController<Rows extends Operations, Service extends Calls<Rows>>(
  { tag, rows }: Group<Rows>,
  service: Type<Service>,
  forms: Forms<Rows, Service>,
): Type<object> {
  const name = `${tag.replace(" ", "")}Controller`;
  const controller = { [name]: class extends RestCalls {} }[name]!;
  Inject(service)(controller.prototype, API);
  for (const [id, row] of Object.entries<Operation>(rows))
    if (row.events === undefined) addRoute(controller, { id, row, form: (forms as Record<string, Form<unknown>>)[id] });
  return controller;
}

function addRoute({ prototype }: Type<RestCalls>, route: RouteOfCall): void {
  const { id, row } = route;
  const value = function (this: RestCalls, request: RestRequest, response: FrameworkResponse): Promise<unknown> {
    return this.answer(route, request, response);
  };
  Object.defineProperty(value, "name", { value: id });
  const method = { value, configurable: true, writable: true };
  Object.defineProperty(prototype, id, method);
  Req()(prototype, id, 0);
  Res({ passthrough: true })(prototype, id, 1);
  OperationRoute(row)(prototype, id, method);
}
