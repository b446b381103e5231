/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '15d28dcd4ce0'
