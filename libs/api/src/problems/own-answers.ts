import { Inject, Injectable, Req, Res, type Type } from "@nestjs/common";
import { METHOD_METADATA, RESPONSE_PASSTHROUGH_METADATA, ROUTE_ARGS_METADATA } from "@nestjs/common/constants.js";
import { RouteParamtypes } from "@nestjs/common/enums/route-paramtypes.enum.js";
import { HttpAdapterHost, MetadataScanner } from "@nestjs/core";
import { ExecutionContextHost } from "@nestjs/core/helpers/execution-context-host.js";
import { ProblemFilter } from "./problem.filter.js";

type Call = (...parameters: unknown[]) => unknown;

/** Where a controller that answers itself finds what sends. */
const ANSWERS = Symbol("tickwheel answers");

/**
 * Sends what a call of ours returns or throws, before any interceptor of the application sees it: one that wraps every
 * answer, or turns errors into its own, would break a contract that is not the application's. Interceptors still run
 * around our calls, and see calls that answer nothing.
 */
@Injectable()
export class OwnAnswers {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly problems: ProblemFilter,
  ) {}

  async to(request: unknown, response: unknown, call: () => unknown): Promise<void> {
    try {
      await this.host.httpAdapter.reply(response, await call());
    } catch (error) {
      this.problems.catch(error, new ExecutionContextHost([request, response]));
    }
  }
}

/**
 * Lets a controller's calls send their answers by {@link OwnAnswers}, all but those that see to their response
 * themselves: to Nest they look like these, so it sends nothing for them.
 */
export function answersItself(controller: Type<object>): void {
  const calls = controller.prototype as Record<string | symbol, Call>;
  Inject(OwnAnswers)(calls, ANSWERS);
  for (const name of new MetadataScanner().getAllMethodNames(calls)) {
    const call = calls[name]!;
    if (!Reflect.hasMetadata(METHOD_METADATA, call) || seesToResponse(controller, name)) continue;
    Reflect.defineMetadata(RESPONSE_PASSTHROUGH_METADATA, false, controller, name);
    calls[name] = answering(call, placesOf(controller, name));
  }
}

/** Whether a call takes the response and Nest is told to leave it alone. */
function seesToResponse(controller: Type<object>, name: string): boolean {
  const takesResponse = parametersOf(controller, name).some((key) => key.startsWith(`${RouteParamtypes.RESPONSE}:`));
  return takesResponse && Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, name) !== true;
}

/** Adds the request and the response to a call's parameters, behind its own. */
function placesOf(controller: Type<object>, name: string): { request: number; response: number } {
  const request = parametersOf(controller, name).length;
  Req()(controller.prototype as object, name, request);
  Res()(controller.prototype as object, name, request + 1);
  return { request, response: request + 1 };
}

function parametersOf(controller: Type<object>, name: string): string[] {
  return Object.keys((Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as object | undefined) ?? {});
}

function answering(call: Call, places: { request: number; response: number }): Call {
  const answers = function (this: Record<symbol, OwnAnswers>, ...parameters: unknown[]): Promise<void> {
    const request = parameters[places.request];
    const response = parameters[places.response];
    return this[ANSWERS]!.to(request, response, () => call.apply(this, parameters));
  };
  Object.defineProperty(answers, "name", { value: call.name });
  for (const key of Reflect.getMetadataKeys(call))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, call) as unknown, answers);
  return answers;
}
