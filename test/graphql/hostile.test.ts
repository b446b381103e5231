import { describe } from 'vitest'
import { testHostileValues } from './hostile.ts'

// A number that shares no factor with the numbers of values of most types, so that each value is sent somewhere.
describe('a hostile value', () => testHostileValues(3))
