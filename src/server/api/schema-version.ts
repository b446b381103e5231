/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '271fa2315b35'
