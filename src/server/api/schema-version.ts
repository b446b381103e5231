/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = 'aeae5ca2b52a'
