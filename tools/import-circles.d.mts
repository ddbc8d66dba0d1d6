import type { Imports } from './import-law.mjs'

export function circles(imports: Imports): string[][]
