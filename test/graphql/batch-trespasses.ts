import { type ForeignAccess, type Parties, refusedMutation } from './foreign.ts'
import type { foreignFilters } from './foreign-filter.ts'

/** Access to imports and bulk jobs of another account, and to its objects from own ones. */
export function listForeignBatchAccess(
  { foreign, form }: Parties,
  filters: ReturnType<typeof foreignFilters>,
): Record<string, readonly ForeignAccess[]> {
  return {
    contactImport: [{ names: ['id'], args: { id: form(foreign.contactImport) }, select: 'id', comes: null }],
    contactImportFailedRows: [
      { names: ['importId'], args: { importId: form(foreign.contactImport) }, select: 'url', comes: 'NOT_FOUND' },
    ],
    contactImportStart: [refusedMutation(['input.id'], { id: form(foreign.contactImport) }, 'contactImport { id }')],
    bulkJob: [{ names: ['id'], args: { id: form(foreign.bulkJob) }, select: 'id', comes: null }],
    bulkJobCancel: [refusedMutation(['input.id'], { id: form(foreign.bulkJob) }, 'bulkJob { id }')],
    contactsBulk: listForeignBulk(foreign, form, filters),
    contactImportCreate: [
      {
        names: ['input.addTagIds', 'input.addSequenceIds'],
        args: { input: { csv: 'email\n', addTagIds: [form(foreign.tag)], addSequenceIds: [form(foreign.sequence)] } },
        select: 'contactImport { status }',
        comes: { contactImport: { status: 'COMPLETED' } },
      },
      {
        names: ['input.mapping.customFieldId'],
        args: {
          input: { csv: 'email,x\n', mapping: [{ column: 'x', customFieldId: form(foreign.customField) }] },
        },
        select: 'contactImport { status }',
        comes: 'VALIDATION_ERROR',
      },
    ],
  }
}

/** Calls of `contactsBulk`: foreign contacts are errors of the job; foreign tags, sequences and custom fields are not found. */
function listForeignBulk(
  foreign: Parties['foreign'],
  form: Parties['form'],
  { include, exclude }: ReturnType<typeof foreignFilters>,
): ForeignAccess[] {
  const contacts = { all: true }
  const refused = (name: string, value: unknown, path = name): ForeignAccess => ({
    names: [`input.action.${path}`],
    args: { input: { contacts, action: { [name]: value } } },
    select: 'bulkJob { id }',
    comes: 'NOT_FOUND',
  })
  const addTagIds = ['1']
  return [
    {
      names: ['input.contacts.ids'],
      args: { input: { contacts: { ids: [form(foreign.contact)] }, action: { unsubscribe: {} } } },
      select: 'bulkJob { changed }',
      comes: { bulkJob: { changed: 0 } },
    },
    {
      names: include.paths.map((path) => `input.contacts.filter.${path}`),
      args: { input: { contacts: { filter: include.filter }, action: { unsubscribe: {} } } },
      select: 'bulkJob { changed }',
      comes: { bulkJob: { changed: 0 } },
    },
    {
      names: exclude.paths.map((path) => `input.contacts.filter.${path}`),
      args: { input: { contacts: { filter: exclude.filter }, action: { addTagIds } } },
      select: 'bulkJob { id }',
      comes: 'VALIDATION_ERROR',
    },
    refused('addTagIds', [form(foreign.tag)]),
    refused('removeTagIds', [form(foreign.tag)]),
    refused('addSequenceIds', [form(foreign.sequence)]),
    refused('removeSequenceIds', [form(foreign.sequence)]),
    refused(
      'update',
      { customFields: [{ customFieldId: form(foreign.customField), value: 'x' }] },
      'update.customFields.customFieldId',
    ),
  ]
}
