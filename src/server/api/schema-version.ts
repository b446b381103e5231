/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '6075b7e8a42d'
