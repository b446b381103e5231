/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '3b430242f2e9'
