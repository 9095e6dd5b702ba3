import { Injectable, Logger } from "@nestjs/common";
import { errorOfFaults, MAX_FAULTS } from "@tickwheel/calls";
import { type ApiKey, hasRole, keepSources, shownText, TickwheelError } from "@tickwheel/core";
import {
  type ExecutionResult,
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  validate,
  type ValidationRule,
} from "graphql";
import { createHandler, type Handler, type OperationArgs, type Response } from "graphql-http";
import { AnswerBudget, MAX_ANSWER_LENGTH } from "../limits/answer-budget.js";
import { brokenLimit, MAX_TOKENS, refusal } from "./graphql-limits.js";
import { shapeOfBody } from "./graphql-payloads.js";
import type { GraphqlContext } from "./graphql-call.js";
import { GraphqlRoot } from "./graphql-root.service.js";
import { graphqlSchema } from "./graphql-schema.js";
import { unknownFields } from "./graphql-variables.js";
import { type Problem, problemOf, reportOf } from "../problems/problem.js";
import { BODY_LIMITS, requireBounded } from "../bodies/request-body.js";
import { jsonWithSources } from "../tasks/task-json.js";

/** What an HTTP request is to GraphQL, on Fastify and Express alike. */
export interface GraphqlRequest {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  /** The text of its body; absent where it has none. */
  text?: string;
  /** The id of the page's session that it comes with. Default: none. */
  session?: string | null;
  /** Fires when its client has gone. */
  signal?: AbortSignal;
}

/** How many characters of an error's message are shown: the language's own rules print what they were given. */
const MAX_DETAIL_LENGTH = 500;

type Context = GraphqlContext & Record<PropertyKey, unknown>;

/**
 * GraphQL over HTTP, as the specification draft has it. A document within the limits runs as the key's holder; errors
 * carry the codes of REST in `extensions`. Only operators see the schema by introspection.
 */
@Injectable()
export class GraphqlEndpoint {
  private readonly logger = new Logger("Tickwheel API");
  private readonly handler: Handler<GraphqlRequest, GraphqlContext>;
  private readonly results = new WeakMap<GraphqlRequest, ExecutionResult>();

  constructor(root: GraphqlRoot) {
    this.handler = createHandler<GraphqlRequest, GraphqlContext, Context>({
      schema: graphqlSchema,
      rootValue: root.fields,
      context: (request) => request.context as Context,
      parse: (source, options) => parse(source, { ...options, maxTokens: MAX_TOKENS }),
      validate: (schema, document, rules) => validate(schema, document, rules, { maxErrors: MAX_FAULTS }),
      validationRules: (request, args, rules) => rulesFor(request.context.apiKey, args, rules),
      formatError: (error) => this.format(error),
      // The handler writes values only; this one is written by us. Status and headers are the same.
      onOperation: ({ raw }, _args, result) => {
        if (!("data" in result)) return;
        this.results.set(raw, result);
        return { data: null };
      },
    });
  }

  /**
   * Answers a request: body and, in the second place, status and headers. A null body means that the request was not
   * GraphQL.
   */
  async answer(request: GraphqlRequest, apiKey: ApiKey): Promise<Response> {
    const { method, url, headers, text, session = null, signal } = request;
    if (text !== undefined) requireBounded(text, BODY_LIMITS);
    const body = text === undefined ? null : bodyOf(text);
    const context = { apiKey, session, budget: new AnswerBudget(), headers, signal };
    const answer = await this.handler({ method, url, headers, body, raw: request, context });
    const result = this.results.get(request);
    return result ? [this.write(result), answer[1]] : answer;
  }

  private write({ data, errors }: ExecutionResult): string {
    try {
      return `{${this.faultsJson(errors)}"data":${jsonWithSources(data ?? null, MAX_ANSWER_LENGTH)}}`;
    } catch (error) {
      return `{${this.faultsJson([error as Error])}"data":null}`;
    }
  }

  private faultsJson(errors: readonly (GraphQLError | Error)[] = []): string {
    const told = errors.slice(0, MAX_FAULTS).map((error) => this.format(error));
    return told.length > 0 ? `"errors":${JSON.stringify(told)},` : "";
  }

  private format(error: Readonly<GraphQLError | Error>): GraphQLError {
    const { code, detail, errors, existingId } = told(problemOf(causeOf(error)));
    if (code === "INTERNAL") this.logger.error(reportOf(causeOf(error)));
    const where = error instanceof GraphQLError ? { nodes: error.nodes, path: error.path, originalError: error } : {};
    return new GraphQLError(detail, {
      ...where,
      extensions: { code, errors, ...(existingId !== undefined && { existingId }) },
    });
  }
}

/**
 * What the key's holder may not do, and a document that breaks a limit, are refused before the standard rules spend
 * time on it.
 */
function rulesFor(apiKey: ApiKey, args: OperationArgs<Context>, rules: readonly ValidationRule[]): ValidationRule[] {
  const { document, operationName, variableValues } = args;
  if (getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION && !hasRole(apiKey, "worker"))
    return [refusal(new TickwheelError("FORBIDDEN", "A mutation needs the role operator, or worker for claims."))];
  const broken = brokenLimit(document, variableValues ?? {});
  if (broken !== null) return [refusal(broken)];
  const operation = { schema: graphqlSchema, document, operationName };
  const unknown = unknownFields(operation, variableValues ?? {}, MAX_FAULTS);
  if (unknown.length > 0) return [refusal(errorOfFaults(unknown))];
  return hasRole(apiKey, "operator") ? [...rules] : [...rules, NoSchemaIntrospectionCustomRule];
}

/** What a resolver threw; a request's own fault as an error with a status. */
function causeOf(error: Readonly<GraphQLError | Error>): unknown {
  const cause = error instanceof GraphQLError ? error.originalError : undefined;
  const isRequestFault = cause === undefined ? !isFieldError(error) : cause instanceof GraphQLError;
  return isRequestFault ? { status: 400, message: error.message } : (cause ?? error);
}

function told(problem: Problem): Pick<Problem, "code" | "detail" | "errors" | "existingId"> {
  const { code, detail, errors, existingId } = problem;
  const cut = errors.map(({ path, message }) => ({ path, message: shownText(message, MAX_DETAIL_LENGTH) }));
  return {
    code,
    detail: shownText(detail, MAX_DETAIL_LENGTH),
    errors: cut,
    ...(existingId !== undefined && { existingId }),
  };
}

function isFieldError(error: Readonly<GraphQLError | Error>): boolean {
  return error instanceof GraphQLError && error.path !== undefined;
}

/**
 * The parameters of a request, in which the values for JSON are text; as it is where it is no JSON: the handler says
 * so.
 */
function bodyOf(text: string): Record<string, unknown> | string {
  try {
    const given = JSON.parse(text) as unknown;
    if (given === null || typeof given !== "object") return text;
    const shape = shapeOfBody(graphqlSchema, given, MAX_TOKENS);
    return (shape ? keepSources(text, given, shape) : given) as Record<string, unknown>;
  } catch {
    return text;
  }
}
