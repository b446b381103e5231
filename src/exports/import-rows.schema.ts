import { importFailedRows } from '../contacts/index.ts'
import { builder } from '../graphql/schema/builder.ts'
import { requiredId, scopeText } from '../graphql/schema/descriptions.ts'
import { ExportLinkType } from './export.schema.ts'

builder.queryField('contactImportFailedRows', (t) =>
  t.field({
    type: ExportLinkType,
    description: `Returns a link to a CSV file with the rows of an import that were not applied: the line, the reason, and the original cells. The corrected file can be imported. Text that a spreadsheet could run as a formula is prefixed with an apostrophe, which imports remove. The link is valid for one hour, unless the API key is disabled or the import is deleted before.\n\n${scopeText('contacts:read')}`,
    args: { importId: t.arg.id(requiredId('the import')) },
    resolve: (_root, { importId }, ctx) => importFailedRows.linkTo(ctx, importId),
  }),
)
