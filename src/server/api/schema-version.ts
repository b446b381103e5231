/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = 'caf71468b9a8'
