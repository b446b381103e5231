import { describeFiles } from './file-costs.ts'

// One of each kind. The long test has all of them.
describeFiles([
  'commas up to a value',
  'a thousand columns of tags',
  'quotes only',
  'a quote in each row that is never closed',
  'tags of blanks',
  'blanks only',
  'carriage returns only',
  'a header of commas',
])
