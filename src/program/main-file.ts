/** The file by which this program is started again: by OpenSSH, and for each of several processes. */
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Whether it runs compiled, or from its sources by a loader. All compiled files are in one folder. */
export const runsFromSource = extname(import.meta.url) === '.ts'

export const mainFile = fileURLToPath(new URL(runsFromSource ? '../main.ts' : './main.js', import.meta.url))
