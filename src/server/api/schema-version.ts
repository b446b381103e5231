/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '7f9738f4f318'
