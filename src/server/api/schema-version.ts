/** Version of `schema.graphql`, of which `npm run schema:print` makes it. */
export const schemaVersion = '4c609a435c60'
