/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = 'c4ef50da209c'
