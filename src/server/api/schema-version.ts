/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '5dd46e87bf33'
