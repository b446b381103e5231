/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '8942d7a2bbf3'
