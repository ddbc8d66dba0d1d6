/** The version of this program, and of the interface it serves. */
import { readFileSync } from 'node:fs'

/** Clients choose features by this number: the release whose API is served. */
export const interfaceVersion = '11.3.14'

export const programVersion = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version
