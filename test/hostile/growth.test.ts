import { describeGrowth } from './growth.ts'

describeGrowth(3)
