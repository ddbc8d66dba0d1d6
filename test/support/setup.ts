/** Runs around every test file. */
import { afterAll } from 'vitest'
import { closeForges } from './forge.ts'

afterAll(closeForges)
