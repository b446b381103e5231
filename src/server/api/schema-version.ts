/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '946985b2a1b4'
