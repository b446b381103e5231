/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = 'f0f2192cc72f'
