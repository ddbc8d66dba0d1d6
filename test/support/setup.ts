/** Runs in every test file before its tests. */
import { afterAll } from 'vitest'
import { cleanUp } from './cleanup.ts'

afterAll(cleanUp)
