import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { largeNodeSource, Node } from '../../graphql/schema/node.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import * as importList from './import-list.ts'
import { type ErrorCode, type ErrorGroup, errorCodes } from './rows/row-errors.ts'

const Severity = builder.enumType('ContactImportErrorSeverity', {
  description: 'Effect of an error of an import.',
  values: {
    ERROR: { description: 'The row was not applied.' },
    WARNING: { description: 'The row was applied, but a cell was left out, or its meaning was guessed.' },
  },
})

const Code = builder.enumType('ContactImportErrorCode', {
  description: 'Kind of an error of an import.',
  values: Object.fromEntries(
    Object.entries(errorCodes).map(([code, description]) => [code, { description }]),
  ) as Record<ErrorCode, { description: string }>,
})

const columnDescription = 'Name of the column. Empty if the error concerns the whole row or the file.'

const ImportErrorType = builder.prismaObject('ContactImportError', {
  description: 'An error or a warning in a row of the file.',
  interfaces: [Node],
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Line of the file on which the row begins. The first line is 1.' }),
    column: t.exposeString('column', { description: columnDescription }),
    severity: t.expose('severity', { type: Severity, description: 'Whether the row was applied.' }),
    code: t.field({
      type: Code,
      description: 'Kind of the error.',
      resolve: ({ code }) => code as ErrorCode,
    }),
    message: t.exposeString('message', { description: 'Description of the error.' }),
    value: t.exposeString('value', {
      description: 'Content of the cell, cut after about 200 characters. Empty if the error concerns the whole row.',
    }),
  }),
})

largeNodeSource(ImportErrorType, 'contacts:read', importList.errorById)

filterKind('enum ContactImportErrorSeverity', [Severity])

const ImportErrorFilter = filterOf('ContactImportErrorFilterInput', 'import errors', importList.errorFilter, {
  line: 'Line of the file on which the row begins. The first line is 1.',
  column: 'Name of the column. It does not exist if the error concerns the whole row.',
  severity: 'One of these severities.',
  message: 'Description of the error.',
})

export const ImportErrorConnection = connectionOf(ImportErrorType, {
  noun: 'errors',
  filter: ImportErrorFilter,
  orders: { LINE: 'Line of the file on which the row begins.' },
  direction: 'ASC',
})

export const ImportErrorGroup = builder.objectRef<ErrorGroup>('ContactImportErrorGroup').implement({
  description: 'Errors or warnings of an import with the same code in the same column.',
  fields: (t) => ({
    severity: t.expose('severity', { type: Severity, description: 'Whether the rows were applied.' }),
    code: t.expose('code', { type: Code, description: 'Kind of the errors.' }),
    column: t.exposeString('column', { description: columnDescription }),
    message: t.exposeString('message', { description: 'Description of the first of the errors.' }),
    count: t.exposeInt('count', { description: 'Number of errors.' }),
    firstLines: t.field({
      type: ['Int'],
      description: 'Lines of the first errors. Maximum 5.',
      resolve: ({ lines }) => [...lines],
    }),
  }),
})

readableWith('ContactImportErrorGroup', 'contacts:read')
