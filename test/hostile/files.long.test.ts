import { describeFiles, hostile } from './file-costs.ts'

describeFiles(Object.keys(hostile))
