import { describe } from 'vitest'
import { testHostileValues } from './hostile.ts'

describe('a hostile value', () => testHostileValues(1))
