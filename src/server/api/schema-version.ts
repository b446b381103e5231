/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = 'a9b92244c909'
