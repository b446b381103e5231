/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '51c09fddeb5a'
