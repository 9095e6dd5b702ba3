export { sdlOf } from "./documents/graphql.js";
export { IDEMPOTENCY_KEY, openApiOf, REPLAYED } from "./documents/openapi.js";
