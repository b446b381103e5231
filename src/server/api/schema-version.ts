/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '89df8e63fdc5'
