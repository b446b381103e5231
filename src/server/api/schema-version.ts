/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '944168d087c2'
