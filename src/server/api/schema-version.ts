/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = 'e467603bf062'
