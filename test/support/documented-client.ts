import { Ajv, type ValidateFunction } from "ajv";
import { type Answer, ApiClient } from "./api-client.js";

interface OpenApi {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: Record<string, { schema: Reference }> }> }>
  >;
  components: { schemas: Record<string, object> };
}

interface Reference {
  $ref: string;
}

const DOCUMENT = "openapi.json";

/**
 * A client that checks each answer of a documented call against the OpenAPI document: its status, its type and its
 * body.
 */
export class DocumentedClient extends ApiClient {
  private readonly schemas = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly paths: { matches: RegExp; calls: OpenApi["paths"][string] }[];

  private constructor(url: string, key: string, document: OpenApi) {
    super(url, key);
    this.schemas.addSchema(document, DOCUMENT);
    this.paths = Object.entries(document.paths)
      // Fixed paths come before parameters: `bulk` in `/v1/tasks/bulk` is no id.
      .toSorted(([one], [other]) => Number(one.includes("{")) - Number(other.includes("{")))
      .map(([path, calls]) => ({ matches: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`), calls }));
  }

  /** Reads the document from the node itself. */
  static async of({ url, key }: { url: string; key: string }): Promise<DocumentedClient> {
    const { body } = await new ApiClient(url, key).get<OpenApi>("/openapi.json");
    return new DocumentedClient(url, key, body);
  }

  override async send<Body>(
    method: string,
    path: string,
    request: Parameters<ApiClient["send"]>[2] = {},
  ): Promise<Answer<Body>> {
    const answer = await super.send<Body>(method, path, request);
    const { pathname } = new URL(path, this.url);
    const call = this.paths.find(({ matches }) => matches.test(pathname))?.calls[method.toLowerCase()];
    const faults = call ? this.faultsOf(answer, call.responses) : [];
    if (faults.length > 0)
      throw new Error(`${method} ${path}: ${answer.status} is not as documented: ${faults.join("; ")}`);
    return answer;
  }

  private faultsOf({ status, headers, body }: Answer, responses: Record<string, { content: object }>): string[] {
    const documented = responses[String(status)]?.content as Record<string, { schema: Reference }> | undefined;
    const type = headers.get("content-type")?.split(";", 1)[0] ?? "none";
    const schema = documented?.[type]?.schema;
    if (!schema) return [`no such answer of type ${type}`];
    const { $ref } = schema;
    const validate = this.validators.get($ref) ?? this.schemas.compile({ $ref: `${DOCUMENT}${$ref}` });
    this.validators.set($ref, validate);
    return validate(body) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}
