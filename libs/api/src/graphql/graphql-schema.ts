import { sdlOf } from "@tickwheel/contract/documents";
import { GROUPS } from "@tickwheel/contract/operations";
import { buildSchema } from "graphql";
import { keepJsonText } from "./graphql-payloads.js";

/**
 * The GraphQL schema, made of the calls' rows. Scalars pass values as they are: the inputs' own rules check them, as
 * they do for REST. JSON passes as text.
 */
export const graphqlSchema = keepJsonText(buildSchema(sdlOf(GROUPS)));
