/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '6f1994eaf13a'
